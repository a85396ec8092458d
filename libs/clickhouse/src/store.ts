import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import type { Check } from '@app/observability';
import { isMigrated } from './migrate.js';
import { ByteWriter, encodeRows, insertStatement, type Table } from './row-binary.js';
import type { Sql } from './sql.js';
import { questionError, storeError, StoreRefusedError } from './store-errors.js';

/** A millisecond or two of calls. */
const ROWS_PER_TURN = 32;
const WRITERS_KEPT = 4;
const WRITER_KEPT_BYTES = 32 * 1024 ** 2;

/** What it took to answer a question. */
export interface Effort {
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** Inserts and questions with their errors typed. Nothing else touches the client. */
export class Store {
  private readonly writers: ByteWriter[] = [];

  constructor(readonly client: ClickHouseClient) {}

  /** Resolves when ClickHouse has stored the rows. */
  async insert<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    if (rows.length === 0) return;
    const writer = this.writers.pop() ?? new ByteWriter();
    const bytes = await encoded(table, rows, writer);
    try {
      const { stream } = await this.client.exec({
        query: insertStatement(table),
        values: Readable.from([bytes], { objectMode: false }),
        clickhouse_settings: settings,
      });
      await drained(stream);
    } catch (error) {
      // The writer is not used again: its bytes may still be on their way.
      throw storeError(error);
    }
    this.keep(writer);
  }

  /** Megabytes of fresh memory cost more than writing to them, so a few buffers serve all inserts. */
  private keep(writer: ByteWriter): void {
    if (this.writers.length >= WRITERS_KEPT || writer.capacity > WRITER_KEPT_BYTES) return;
    writer.cutTo(0);
    this.writers.push(writer);
  }

  /** Runs a statement that answers nothing, such as INSERT … SELECT. */
  async run(statement: Sql, settings: ClickHouseSettings = {}): Promise<void> {
    try {
      const { query, query_params } = statement.render();
      await this.client.command({ query, query_params, clickhouse_settings: settings });
    } catch (error) {
      throw storeError(error);
    }
  }

  async rows<Row>(question: Sql, settings: ClickHouseSettings = {}): Promise<Row[]> {
    try {
      const { query, query_params } = question.render();
      const result = await this.client.query({
        query,
        query_params,
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      });
      return await result.json<Row>();
    } catch (error) {
      throw storeError(error);
    }
  }

  /**
   * The rows of an answer as ClickHouse sends them, a block at a time and no faster than they are taken. Ends the
   * question when the caller stops or `signal` says so.
   */
  stream<Row>(
    question: Sql,
    settings: ClickHouseSettings = {},
    signal?: AbortSignal,
  ): AsyncGenerator<Row[], void> {
    return this.lines<Row>(question, 'JSONEachRow', settings, signal);
  }

  /** As `stream`, and in the end what it took. */
  async *watchedStream<Row>(
    question: Sql,
    settings: ClickHouseSettings,
    signal: AbortSignal,
  ): AsyncGenerator<Row[], Effort> {
    let effort: Effort = { rowsRead: 0, bytesRead: 0 };
    const lines = this.lines<WatchedLine<Row>>(
      question,
      'JSONEachRowWithProgress',
      settings,
      signal,
    );
    for await (const block of lines) {
      const rows: Row[] = [];
      for (const line of block) {
        if ('row' in line) rows.push(line.row);
        else if ('progress' in line) effort = effortOf(line.progress);
        else if ('exception' in line) throw questionError(parseError(new Error(line.exception)));
      }
      yield rows;
    }
    return effort;
  }

  private async *lines<Line>(
    question: Sql,
    format: 'JSONEachRow' | 'JSONEachRowWithProgress',
    settings: ClickHouseSettings,
    signal?: AbortSignal,
  ): AsyncGenerator<Line[], void> {
    const ask = async function* (client: ClickHouseClient, abort_signal: AbortSignal) {
      const result = await client.query({
        ...question.render(),
        format,
        clickhouse_settings: settings,
        abort_signal,
      });
      for await (const lines of result.stream())
        yield lines.map(({ text }) => JSON.parse(text) as Line);
    };
    yield* this.untilGone(ask, signal);
  }

  /** An answer in pieces, which ends in ClickHouse too when it is left, is taken to its end, or `signal` says so. */
  private async *untilGone<Piece>(
    ask: (client: ClickHouseClient, until: AbortSignal) => AsyncGenerator<Piece, void>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Piece, void> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      yield* ask(this.client, abort.signal);
    } catch (error) {
      throw questionError(error);
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }

  /** The values of a question's one column, end to end. */
  async bytes(
    question: Sql,
    settings: ClickHouseSettings = {},
    signal?: AbortSignal,
  ): Promise<Buffer> {
    try {
      const { query, query_params } = question.render();
      const { stream } = await this.client.exec({
        query: `${query} FORMAT RawBLOB`,
        query_params,
        clickhouse_settings: settings,
        ...(signal && { abort_signal: signal }),
      });
      const pieces: Buffer[] = [];
      for await (const piece of stream) pieces.push(piece as Buffer);
      return Buffer.concat(pieces);
    } catch (error) {
      throw questionError(error);
    }
  }

  /** The answer as ClickHouse prints it, in pieces and no faster than they are taken. */
  async *printed(
    question: Sql,
    format: 'JSONEachRow' | 'CSVWithNames' | 'Parquet',
    settings: ClickHouseSettings,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void> {
    const ask = async function* (client: ClickHouseClient, abort_signal: AbortSignal) {
      const { query, query_params } = question.render();
      const { stream } = await client.exec({
        query: `${query} FORMAT ${format}`,
        query_params,
        clickhouse_settings: settings,
        abort_signal,
      });
      for await (const piece of stream) yield piece as Buffer;
    };
    yield* this.untilGone(ask, signal);
  }

  /** How ClickHouse would look for the rows, and which indexes it would use; line by line. */
  async plan(question: Sql, settings: ClickHouseSettings): Promise<string[]> {
    try {
      const { query, query_params } = question.render();
      const result = await this.client.query({
        query: `EXPLAIN indexes = 1 ${query}`,
        query_params,
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      });
      return (await result.json<{ explain: string }>()).map(({ explain }) => explain);
    } catch (error) {
      throw questionError(error);
    }
  }

  async isUp(): Promise<boolean> {
    return (await this.client.ping()).success;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A line of JSONEachRowWithProgress. What else there may be, such as the columns, says nothing to us. */
type WatchedLine<Row> =
  | { readonly row: Row }
  | { readonly progress: Readonly<Record<string, string | number>> }
  | { readonly exception: string }
  | { readonly meta: unknown };

function effortOf({ read_rows = 0, read_bytes = 0 }: Readonly<Record<string, string | number>>) {
  return { rowsRead: Number(read_rows), bytesRead: Number(read_bytes) };
}

/**
 * Some rows at a time, so that others have their turn: a large insert takes a tenth of a second to write out. A value
 * that does not fit its column will not fit it the next time either.
 */
async function encoded<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  to: ByteWriter,
): Promise<Buffer> {
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
      if (at > 0) await nextTurn();
      encodeRows(table, rows.slice(at, at + ROWS_PER_TURN), to);
    }
    return to.written();
  } catch (error) {
    throw new StoreRefusedError(`${table.name}: ${String(error)}`, 0, { cause: error });
  }
}

/** A connection goes back to the pool only when its answer has been read to the end. */
async function drained(stream: Readable): Promise<void> {
  for await (const _ of stream) continue;
}

/** ClickHouse answers and has all tables. */
export function storeChecks(store: Store): Check[] {
  return [
    {
      name: 'store',
      problem: async () => {
        if (!(await store.isUp())) return 'ClickHouse does not answer';
        return (await isMigrated(store.client))
          ? undefined
          : 'migrations are pending: run `migrate`';
      },
    },
  ];
}
