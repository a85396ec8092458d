import { Injectable } from '@nestjs/common';
import type { TableQueryRequest, TablesStatsRequest, TableStats } from '@app/contracts';
import { directionOf, windowOf } from '../objects/objects-request.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { BlockSize } from './block-size.js';
import { pathKeys } from './row-path.js';
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
    private readonly questions: QueryExecutor,
    private readonly orders: TableOrders,
  ) {}

  /** The rows as JSON texts, as they come; a table of any size needs the same memory. */
  async *rows(request: TableQueryRequest, reading: ReadContext): AsyncGenerator<string> {
    const question = rowsQuestion(request);
    const { sort, rowDigests } = question;
    const blocks =
      sort.length > 0
        ? this.sorted(question, reading)
        : rowDigests
          ? this.chosen(question, rowDigests, reading)
          : this.stretch(question, reading);
    for await (const rows of blocks) yield* rows.map(record);
  }

  async stats(request: TablesStatsRequest, reading: ReadContext): Promise<TableStats[]> {
    const { project_id, digests, include_storage_size } = request;
    const [counts, sizes] = await Promise.all([
      this.counts(project_id, digests, reading),
      include_storage_size
        ? this.questions.rows<{ digest: string; bytes: number | string }>(
            tableSizes(project_id, digests),
            reading,
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
  private async *stretch(question: RowsQuestion, reading: ReadContext): AsyncGenerator<TableRow[]> {
    const { end } = question;
    const size = new BlockSize();
    for (let from = question.start; from < end;) {
      const to = Math.min(from + size.rows, end);
      let [count, bytes] = [0, 0];
      const blocks = this.questions.stream<TableRow>(rowsBetween(question, from, to), reading);
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
    question: RowsQuestion,
    rowDigests: readonly string[],
    reading: ReadContext,
  ): AsyncGenerator<TableRow[]> {
    const places = await this.questions.rows<{ position: number }>(
      positionsOf(question, rowDigests),
      reading,
    );
    const positions = places.map(({ position }) => position);
    yield* this.at(question, positions.slice(question.start, question.end), reading);
  }

  private async *sorted(question: RowsQuestion, reading: ReadContext): AsyncGenerator<TableRow[]> {
    const { projectId, digest, rowDigests, start, end } = question;
    const count = (await this.counts(projectId, [digest], reading)).get(digest) ?? 0;
    if (start >= Math.min(end, count)) return;
    const isMost = !rowDigests && (await this.isMost(projectId, count, reading));
    const order = await this.orders.order({ ...question, isMost }, Math.min(end, count), reading);
    yield* this.at(question, order.positions.subarray(start, end), reading);
  }

  /** The rows at these positions, in this order. */
  private async *at(
    table: TableId,
    positions: readonly number[] | Uint32Array,
    reading: ReadContext,
  ): AsyncGenerator<TableRow[]> {
    const size = new BlockSize();
    for (let from = 0; from < positions.length;) {
      const some = [...positions.slice(from, from + size.rows)];
      const rows = await this.questions.rows<TableRow>(rowsAmong(table, some), reading);
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      yield some.map((position) => byPosition.get(position)).filter((row) => row !== undefined);
      size.learn(some.length, bytesOf(rows));
      from += some.length;
    }
  }

  private async counts(
    projectId: string,
    digests: readonly string[],
    reading: ReadContext,
  ): Promise<Map<string, number>> {
    const rows = await this.questions.rows<{ digest: string; count: number | string }>(
      tableCounts(projectId, digests),
      reading,
    );
    return new Map(rows.map(({ digest, count }) => [digest, Number(count)]));
  }

  private async isMost(projectId: string, count: number, reading: ReadContext): Promise<boolean> {
    const [all] = await this.questions.rows<{ count: number | string }>(
      rowCount(projectId),
      reading,
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
