import { Injectable } from '@nestjs/common';
import type { TableQueryRequest, TablesStatsRequest, TableStats } from '@app/contracts';
import { QueryTooLargeError } from '@app/clickhouse';
import { ProblemError } from '@app/http';
import { directionOf, pageOf } from '../paging.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { TableOrders } from './table-orders.js';
import {
  positionsOf,
  rowCount,
  rowsAmong,
  rowsBetween,
  tableCounts,
  tableSizes,
  type SortKey,
  type TableId,
  type TableRow,
} from './tables.sql.js';

/** A table with at least this share of the project's rows is sorted by reading all rows of the project. */
const MOST_ROWS = 0.25;

interface RowsQuery extends TableId {
  readonly sort: readonly SortKey[];
  readonly rowDigests: readonly string[] | undefined;
  readonly start: number;
  readonly end: number;
}

@Injectable()
export class TablesReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly orders: TableOrders,
  ) {}

  /** The rows as JSON texts, streamed: memory does not grow with the table. */
  async *rows(request: TableQueryRequest, context: ReadContext): AsyncGenerator<string> {
    const query = rowsQuery(request);
    const { sort, rowDigests } = query;
    const blocks =
      sort.length > 0
        ? this.sorted(query, context)
        : rowDigests
          ? this.filtered(query, rowDigests, context)
          : this.range(query, context);
    for await (const rows of blocks) yield* rows.map(record);
  }

  async stats(request: TablesStatsRequest, context: ReadContext): Promise<TableStats[]> {
    const { project_id, digests, include_storage_size } = request;
    const [counts, sizes] = await Promise.all([
      this.counts(project_id, digests, context),
      include_storage_size
        ? this.executor.rows<{ digest: string; bytes: number | string }>(
            tableSizes(project_id, digests),
            context,
          )
        : [],
    ]);
    const bytes = new Map(sizes.map((one) => [one.digest, Number(one.bytes)]));
    return [...counts].map(([digest, count]) => ({
      digest,
      count,
      storage_size_bytes: include_storage_size ? (bytes.get(digest) ?? 0) : null,
    }));
  }

  /** A range of rows in the order of the table. */
  private async *range(query: RowsQuery, context: ReadContext): AsyncGenerator<TableRow[]> {
    const { end } = query;
    const size = new BlockSize();
    for (let from = query.start; from < end;) {
      const to = Math.min(from + size.rows, end);
      const { count, bytes, isComplete } = yield* this.between(query, from, to, context);
      if (isComplete && count < to - from) return;
      if (isComplete) size.adapt(count, bytes);
      from += count;
    }
  }

  /** The rows of a range, or the first of them when the client is slow. */
  private async *between(
    table: TableId,
    from: number,
    to: number,
    context: ReadContext,
  ): AsyncGenerator<TableRow[], { count: number; bytes: number; isComplete: boolean }> {
    let [count, bytes] = [0, 0];
    const blocks = this.executor.resumable<TableRow>(rowsBetween(table, from, to), context);
    try {
      for (;;) {
        const block = await blocks.next();
        if (block.done) return { count, bytes, isComplete: block.value };
        count += block.value.length;
        bytes += bytesOf(block.value);
        yield block.value;
      }
    } finally {
      await blocks.return(false);
    }
  }

  private async *filtered(
    query: RowsQuery,
    rowDigests: readonly string[],
    context: ReadContext,
  ): AsyncGenerator<TableRow[]> {
    const found = await this.executor.rows<{ position: number }>(
      positionsOf(query, rowDigests),
      context,
    );
    const positions = found.map(({ position }) => position);
    yield* this.at(query, positions.slice(query.start, query.end), context);
  }

  private async *sorted(query: RowsQuery, context: ReadContext): AsyncGenerator<TableRow[]> {
    const { projectId, digest, rowDigests, start, end } = query;
    const count = (await this.counts(projectId, [digest], context)).get(digest) ?? 0;
    if (start >= Math.min(end, count)) return;
    const isMost = !rowDigests && (await this.isMost(projectId, count, context));
    const order = await this.orders.order({ ...query, isMost }, Math.min(end, count), context);
    yield* this.at(query, order.positions.subarray(start, end), context);
  }

  /** The rows at these positions, in this order. */
  private async *at(
    table: TableId,
    positions: readonly number[] | Uint32Array,
    context: ReadContext,
  ): AsyncGenerator<TableRow[]> {
    const size = new BlockSize();
    for (let from = 0; from < positions.length;) {
      const block = [...positions.slice(from, from + size.rows)];
      const rows = await this.among(table, block, context);
      if (rows === undefined) {
        size.shrink();
        continue;
      }
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      yield block.map((position) => byPosition.get(position)).filter((row) => row !== undefined);
      size.adapt(block.length, bytesOf(rows));
      from += block.length;
    }
  }

  /** Undefined when the rows at these positions are too large to be in memory together. */
  private async among(
    table: TableId,
    positions: readonly number[],
    context: ReadContext,
  ): Promise<TableRow[] | undefined> {
    try {
      const maxBytes = positions.length === 1 ? undefined : 4 * BLOCK_BYTES;
      return await this.executor.rows<TableRow>(rowsAmong(table, positions), context, maxBytes);
    } catch (error) {
      if (positions.length === 1 || !(error instanceof QueryTooLargeError)) throw error;
      return undefined;
    }
  }

  private async counts(
    projectId: string,
    digests: readonly string[],
    context: ReadContext,
  ): Promise<Map<string, number>> {
    const rows = await this.executor.rows<{ digest: string; count: number | string }>(
      tableCounts(projectId, digests),
      context,
    );
    return new Map(rows.map(({ digest, count }) => [digest, Number(count)]));
  }

  private async isMost(projectId: string, count: number, context: ReadContext): Promise<boolean> {
    const [all] = await this.executor.rows<{ count: number | string }>(
      rowCount(projectId),
      context,
    );
    return count >= MOST_ROWS * Number(all?.count ?? 0);
  }
}

function rowsQuery(request: TableQueryRequest): RowsQuery {
  const { limit, offset } = pageOf(request);
  return {
    projectId: request.project_id,
    digest: request.digest,
    rowDigests: request.filter?.row_digests ?? undefined,
    sort: (request.sort_by ?? []).map((key, i) => ({
      keys: pathKeys(key.field),
      direction: directionOf(key, i),
    })),
    start: offset,
    end: limit === undefined ? Infinity : offset + limit,
  };
}

const bytesOf = (rows: readonly TableRow[]) => rows.reduce((sum, { val }) => sum + val.length, 0);

/** The wire's row as JSON text. The value is inserted as the client sent it. */
function record({ position, row_digest, val }: TableRow): string {
  const digest = JSON.stringify(row_digest);
  return `{"digest":${digest},"val":${val || 'null'},"original_index":${position}}`;
}

/** The keys of a dotted path; `\.` is a dot inside a key. */
function pathKeys(path: string): string[] {
  const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'));
  if (keys.every((key) => key !== '')) return keys;
  const shown = JSON.stringify(path.slice(0, 100));
  throw new ProblemError('invalid_request', `${shown} is not a path: a key between dots is empty.`);
}

/** Rows of the first block, so that a page which a person views is one statement. */
const FIRST_ROWS = 1000;
const MIN_ROWS = 50;
const MAX_ROWS = 32_768;
/** The target size of a block. Rows are scattered over the store, so a few large statements are cheaper than many. */
const BLOCK_BYTES = 8 * 1024 * 1024;

/** The number of rows to read next, from the size of the rows read last. */
export class BlockSize {
  rows = FIRST_ROWS;

  /** After a block that was too large. */
  shrink(): void {
    this.rows = Math.max(1, Math.floor(this.rows / 8));
  }

  /** Grows at most fourfold at a time, because the next rows may be larger than the last. */
  adapt(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * BLOCK_BYTES) / Math.max(bytes, 1));
    this.rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.min(fitting, this.rows * 4)));
  }
}
