import { Injectable } from '@nestjs/common';
import type { TableQueryRequest, TablesStatsRequest, TableStats } from '@app/contracts';
import { ProblemError } from '@app/http';
import { directionOf, windowOf } from '../paging.js';
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

/** A table with at least this share of a project's rows is sorted by reading all of them. */
const MOST_ROWS = 0.25;

interface RowsQuestion extends TableId {
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

  /** The rows as JSON texts, as they come; a table of any size needs the same memory. */
  async *rows(request: TableQueryRequest, context: ReadContext): AsyncGenerator<string> {
    const query = rowsQuestion(request);
    const { sort, rowDigests } = query;
    const blocks =
      sort.length > 0
        ? this.sorted(query, context)
        : rowDigests
          ? this.chosen(query, rowDigests, context)
          : this.stretch(query, context);
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

  /** Rows as they stand in the table. */
  private async *stretch(query: RowsQuestion, context: ReadContext): AsyncGenerator<TableRow[]> {
    const { end } = query;
    const size = new BlockSize();
    for (let from = query.start; from < end;) {
      const to = Math.min(from + size.rows, end);
      let [count, bytes] = [0, 0];
      const blocks = this.executor.stream<TableRow>(rowsBetween(query, from, to), context);
      for await (const rows of blocks) {
        count += rows.length;
        bytes += bytesOf(rows);
        yield rows;
      }
      if (count < to - from) return;
      size.learn(count, bytes);
      from = to;
    }
  }

  private async *chosen(
    query: RowsQuestion,
    rowDigests: readonly string[],
    context: ReadContext,
  ): AsyncGenerator<TableRow[]> {
    const places = await this.executor.rows<{ position: number }>(
      positionsOf(query, rowDigests),
      context,
    );
    const positions = places.map(({ position }) => position);
    yield* this.at(query, positions.slice(query.start, query.end), context);
  }

  private async *sorted(query: RowsQuestion, context: ReadContext): AsyncGenerator<TableRow[]> {
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
      const some = [...positions.slice(from, from + size.rows)];
      const rows = await this.executor.rows<TableRow>(rowsAmong(table, some), context);
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      yield some.map((position) => byPosition.get(position)).filter((row) => row !== undefined);
      size.learn(some.length, bytesOf(rows));
      from += some.length;
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

function rowsQuestion(request: TableQueryRequest): RowsQuestion {
  const { limit, offset } = windowOf(request);
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

/** A row as it is answered. The value is the text it was sent as. */
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

/** Rows of the first question: a page that people look at is one question. */
const FIRST = 1000;
const LEAST = 50;
const MOST = 32_768;
/** What one question is to bring. Rows stand all over the store, so few large questions are cheaper than many. */
const BYTES = 8 * 1024 * 1024;

/** How many rows to ask for next, given how large the last ones were. */
export class BlockSize {
  rows = FIRST;

  /** Grows at most fourfold at a time: the next rows may be larger than the last. */
  learn(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * BYTES) / Math.max(bytes, 1));
    this.rows = Math.min(MOST, Math.max(LEAST, Math.min(fitting, this.rows * 4)));
  }
}
