import { Readable } from 'node:stream';
import { parseError, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';
import { currentSpan, traced } from '@app/observability';
import { cancellable } from './cancellable.js';
import { executeDdl } from './ddl.js';
import type { Table } from './columns.js';
import { insertStatement } from './native-block.js';
import { statsOf, type ProgressLine, type QueryStats } from './progress-lines.js';
import { countResult } from './result-metrics.js';
import { RowEncoder } from './row-encoder.js';
import { millis, type Millis } from '@app/wire';
import { sql, type Sql } from './sql.js';
import type { LineDecoder } from './tab-separated.js';
import { failed, querySpan, statementSpan } from './statement-span.js';
import { isServerError, queryError, storeError } from './store-errors.js';
import type { Topology } from './topology.js';

/** Executes inserts and queries, with typed errors. Nothing else uses the client. */
export class Store {
  private readonly encoder = new RowEncoder();

  constructor(
    readonly client: ClickHouseClient,
    readonly topology: Topology = { kind: 'single' },
  ) {}

  /** Resolves when ClickHouse has stored the rows. */
  async insert<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    settings: ClickHouseSettings = {},
  ): Promise<void> {
    if (rows.length === 0) return;
    const span = statementSpan(`INSERT ${table.name}`)?.set('db.operation.batch.size', rows.length);
    await traced(span, () => this.insertRows(table, rows, settings));
  }

  private async insertRows<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    settings: ClickHouseSettings,
  ): Promise<void> {
    await this.encoder.encode(table, rows, async (pieces) => {
      try {
        const { stream } = await this.client.exec({
          query: insertStatement(table),
          values: Readable.from(pieces, { objectMode: false }),
          clickhouse_settings: settings,
        });
        await drain(stream);
      } catch (error) {
        throw storeError(error);
      }
    });
  }

  /** Whether ClickHouse accepts an insert without rows. */
  async acceptsInserts(table: Pick<Table<unknown>, 'name' | 'columns'>): Promise<boolean> {
    try {
      await this.client.command({ query: insertStatement(table) });
      return true;
    } catch (error) {
      if (isServerError(error)) return false;
      throw storeError(error);
    }
  }

  /** Executes a statement without a result, such as INSERT … SELECT. */
  async run(statement: Sql, settings: ClickHouseSettings = {}): Promise<void> {
    await this.traced(statement, storeError, (rendered) =>
      this.client.command({ ...rendered, clickhouse_settings: settings }),
    );
  }

  /** Executes a statement that changes tables; on a cluster, on every node. Rejects with each node that has not finished. */
  async runDdl(statement: Sql, settings: ClickHouseSettings = {}): Promise<void> {
    try {
      await executeDdl(this.client, this.topology, statement.render(), settings);
    } catch (error) {
      throw storeError(error);
    }
  }

  async rows<Row>(statement: Sql, settings: ClickHouseSettings = {}): Promise<Row[]> {
    return this.traced(statement, storeError, async (rendered) => {
      const result = await this.client.query({
        ...rendered,
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      });
      return result.json<Row>();
    });
  }

  /**
   * Streams the rows of a result block by block, no faster than the caller reads them. The query is cancelled when the
   * caller stops reading or `signal` aborts. With `decode`, ClickHouse prints the rows separated by tabs.
   */
  stream<Row>(
    statement: Sql,
    settings: ClickHouseSettings = {},
    signal?: AbortSignal,
    queryId?: string,
    decode?: LineDecoder<Row>,
  ): AsyncGenerator<Row[], void> {
    const format = decode ? 'TabSeparated' : 'JSONEachRow';
    return this.lines<Row>(statement, format, settings, signal, queryId, decode);
  }

  /**
   * Resolves to true when the query has ended on the server, and to false when ClickHouse has not confirmed that within
   * `maxMs`. A query whose connection is closed ends by itself, but ClickHouse finishes planning it first.
   */
  async endOf(queryId: string, maxMs: number): Promise<boolean> {
    const query = 'KILL QUERY WHERE query_id = {id:String} SYNC';
    const command = {
      query,
      query_params: { id: queryId },
      abort_signal: AbortSignal.timeout(maxMs),
    };
    try {
      await this.client.command(command);
      return true;
    } catch {
      return false;
    }
  }

  /** As `stream`; returns what ClickHouse has read. */
  async *streamWithStats<Row>(
    statement: Sql,
    settings: ClickHouseSettings,
    signal: AbortSignal,
    queryId?: string,
  ): AsyncGenerator<Row[], QueryStats> {
    let stats: QueryStats = { rowsRead: 0, bytesRead: 0 };
    const lines = this.lines<ProgressLine<Row>>(
      statement,
      'JSONEachRowWithProgress',
      settings,
      signal,
      queryId,
    );
    for await (const block of lines) {
      const rows: Row[] = [];
      for (const line of block) {
        if ('row' in line) rows.push(line.row);
        else if ('progress' in line) stats = statsOf(line.progress);
        else if ('exception' in line) throw queryError(parseError(new Error(line.exception)));
      }
      // A block may have nothing but progress.
      if (rows.length > 0) yield rows;
    }
    return stats;
  }

  private lines<Line>(
    statement: Sql,
    format: 'JSONEachRow' | 'JSONEachRowWithProgress' | 'TabSeparated',
    settings: ClickHouseSettings,
    signal?: AbortSignal,
    queryId?: string,
    decode: LineDecoder<Line> = JSON.parse,
  ): AsyncGenerator<Line[], void> {
    const { client } = this;
    const execute = async function* (abort_signal: AbortSignal) {
      const result = await client.query({
        ...statement.render(),
        format,
        clickhouse_settings: settings,
        abort_signal,
        ...(queryId && { query_id: queryId }),
      });
      for await (const lines of result.stream()) {
        const bytes = lines.reduce((sum, { text }) => sum + text.length, 0);
        countResult(bytes, lines.length);
        yield lines.map(({ text }) => decode(text));
      }
    };
    return cancellable({ execute, statement, settings, signal, parent: currentSpan() });
  }

  /** The concatenated values of a query with one column. */
  async bytes(
    statement: Sql,
    settings: ClickHouseSettings = {},
    signal?: AbortSignal,
  ): Promise<Buffer> {
    return this.traced(statement, queryError, async ({ query, query_params }) => {
      const { stream } = await this.client.exec({
        query: `${query} FORMAT RawBLOB`,
        query_params,
        clickhouse_settings: settings,
        ...(signal && { abort_signal: signal }),
      });
      const pieces: Buffer[] = [];
      for await (const piece of stream) pieces.push(piece as Buffer);
      const bytes = Buffer.concat(pieces);
      countResult(bytes.length);
      return bytes;
    });
  }

  private async traced<Result>(
    statement: Sql,
    errorOf: (error: unknown) => Error,
    execute: (rendered: ReturnType<Sql['render']>) => Promise<Result>,
  ): Promise<Result> {
    const span = querySpan(statement);
    try {
      return await execute(statement.render());
    } catch (error) {
      throw failed(span, errorOf(error));
    } finally {
      span?.end();
    }
  }

  /** Streams a result in one of ClickHouse's output formats, no faster than the caller reads it. */
  streamFormatted(
    statement: Sql,
    format: 'JSONEachRow' | 'CSVWithNames' | 'Parquet' | 'RowBinary',
    settings: ClickHouseSettings,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void> {
    const { client } = this;
    const execute = async function* (abort_signal: AbortSignal) {
      const { query, query_params } = statement.render();
      const { stream } = await client.exec({
        query: `${query} FORMAT ${format}`,
        query_params,
        clickhouse_settings: settings,
        abort_signal,
      });
      for await (const piece of stream as AsyncIterable<Buffer>) {
        countResult(piece.length);
        yield piece;
      }
    };
    return cancellable({ execute, statement, settings, signal, parent: currentSpan() });
  }

  /** ClickHouse's query plan, including the indexes it would use, line by line. */
  async explain(statement: Sql, settings: ClickHouseSettings): Promise<string[]> {
    try {
      const { query, query_params } = statement.render();
      const result = await this.client.query({
        query: `EXPLAIN indexes = 1 ${query}`,
        query_params,
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      });
      return (await result.json<{ explain: string }>()).map(({ explain }) => explain);
    } catch (error) {
      throw queryError(error);
    }
  }

  /** The time of ClickHouse's own clock. */
  async now(): Promise<Millis> {
    const [row] = await this.rows<{ now: number | string }>(
      sql`SELECT toUnixTimestamp64Milli(now64(3)) AS now`,
    );
    return millis(Number(row!.now));
  }

  async isUp(): Promise<boolean> {
    return (await this.client.ping()).success;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A connection returns to the pool only after its response has been read to the end. */
async function drain(stream: Readable): Promise<void> {
  for await (const _ of stream) continue;
}
