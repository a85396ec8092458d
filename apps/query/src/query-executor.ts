import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { QueryTimeoutError, Store, TextRows, type LineDecoder, type Sql } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import { Slices } from '@app/http';
import { counter, seconds } from '@app/observability';
import { readAhead } from './read-ahead.js';
import type { QueryExplanation, ReadContext } from './read-context.js';
import { READ_SETTINGS, statementLimits, type Settings } from './read-settings.js';
import { StatementQueue } from './statement-queue.js';
import { StreamLimits } from './stream-limits.js';
import { QUERY_CONFIG } from './tokens.js';

const UNCONFIRMED = counter(
  'heddle_query_unconfirmed_ends_total',
  'Abandoned statements whose end ClickHouse has not confirmed; they may still run.',
);

const STATEMENT = seconds(
  'heddle_query_statement_seconds',
  'Time that ClickHouse needed for a statement of a read.',
);

/** Executes statements on ClickHouse within the configured limits, and cancels them when the client disconnects. */
@Injectable()
export class QueryExecutor {
  private readonly settings: Readonly<Record<'admin' | 'others', Settings>>;
  private readonly limits: StreamLimits;

  constructor(
    private readonly store: Store,
    private readonly queue: StatementQueue,
    @Inject(QUERY_CONFIG) config: QueryConfig,
  ) {
    this.settings = {
      admin: { ...READ_SETTINGS, ...statementLimits(config, config.adminFactor) },
      others: { ...READ_SETTINGS, ...statementLimits(config, 1) },
    };
    this.limits = new StreamLimits(config);
  }

  /** All rows, in memory. Rejects with QueryTooLargeError when they have more than about `maxBytes`. */
  async rows<Row>(
    query: Sql,
    context: ReadContext,
    maxBytes = ROWS_MAX_BYTES,
    decode?: LineDecoder<Row>,
  ): Promise<Row[]> {
    const rows: Row[] = [];
    const settings: Settings = {
      max_result_bytes: String(maxBytes),
      result_overflow_mode: 'throw',
    };
    for await (const block of this.blocks<Row>(query, context, { settings, decode }))
      rows.push(...block);
    return rows;
  }

  /** The values of the one selected column, concatenated. */
  async bytes(query: Sql, context: ReadContext): Promise<Buffer> {
    const statement = await this.queue.begin(query.render().query, context);
    const begun = performance.now();
    try {
      return await this.store.bytes(query, this.settingsOf(context), context.signal);
    } finally {
      const ms = performance.now() - begun;
      STATEMENT.observe(ms / 1000);
      statement.end(ms);
    }
  }

  /**
   * Blocks of rows, read from ClickHouse hardly faster than the consumer requests them. Rejects with QueryTimeoutError for a
   * consumer that is slower than `MIN_BYTES_PER_SECOND`.
   */
  stream<Row>(query: Sql, context: ReadContext): AsyncGenerator<Row[], void> {
    return atMinimumRate(this.bulk<Row>(query, context), bytesOfRows);
  }

  /**
   * Rows whose columns are all texts, as bytes in the order of `columns`. Rejects with QueryTooLargeError when they have more
   * than about `maxBytes`. `reserve` is called with the length of each text before it is in memory, and may throw.
   */
  async *texts(
    query: Sql,
    columns: readonly string[],
    context: ReadContext,
    { maxBytes, reserve }: { readonly maxBytes: number; readonly reserve: (bytes: number) => void },
  ): AsyncGenerator<readonly Buffer[], void> {
    if (context.explanations) {
      for await (const rows of this.stream<Record<string, string>>(query, context))
        for (const row of rows) {
          const texts = columns.map((name) => Buffer.from(row[name]!));
          for (const { length } of texts) reserve(length);
          yield texts;
        }
      return;
    }
    const settings: Settings = {
      max_result_bytes: String(maxBytes),
      result_overflow_mode: 'throw',
      // An error in the middle would look like a text, so that ClickHouse begins to send when it has all of them.
      wait_end_of_query: 1,
    };
    const rows = new TextRows(columns.length, reserve);
    for await (const piece of this.printed(query, 'RowBinary', settings, context))
      yield* rows.add(piece);
    rows.end();
  }

  /**
   * As `stream`, for a statement that can be continued after any row: when the consumer is slow, or when others wait for its
   * place, the statement ends early. Returns whether all rows were read.
   */
  resumable<Row>(
    query: Sql,
    context: ReadContext,
    decode?: LineDecoder<Row>,
  ): AsyncGenerator<Row[], boolean> {
    let begun: number | undefined;
    return readAhead(this.bulk<Row>(query, context, decode), {
      maxBytes: READ_AHEAD_BYTES,
      sizeOf: bytesOfRows,
      patienceMs: () => RESUMABLE_PATIENCE_MS,
      // The time before the first rows is that of its own turn.
      isOver: () =>
        performance.now() - (begun ??= performance.now()) > TURN_MS && this.queue.isContended(),
    });
  }

  private bulk<Row>(
    query: Sql,
    context: ReadContext,
    decode?: LineDecoder<Row>,
  ): AsyncGenerator<Row[], void> {
    const blocks = this.blocks<Row>(query, context, { minCost: BULK_COST, decode });
    return this.limits.apply(blocks, context, bytesOfRows);
  }

  private blocks<Row>(
    query: Sql,
    context: ReadContext,
    { minCost, settings, decode }: StatementOptions<Row>,
  ): AsyncGenerator<Row[], void> {
    const id = randomUUID();
    const all = { ...this.settingsOf(context), ...settings };
    const blocks = context.explanations
      ? this.explainedStream<Row>(query, id, all, context.signal, context.explanations)
      : this.store.stream<Row>(query, all, context.signal, id, decode);
    return this.queued(query, blocks, context, { id, minCost });
  }

  /** The result in one of ClickHouse's output formats, in pieces. */
  printed(
    query: Sql,
    format: Parameters<Store['streamFormatted']>[1],
    settings: Settings,
    context: ReadContext,
  ): AsyncGenerator<Buffer, void> {
    const all = { ...this.settingsOf(context), ...settings };
    const pieces = this.store.streamFormatted(query, format, all, context.signal);
    const queued = this.queued(query, pieces, context, { minCost: BULK_COST });
    const bytesOf = ({ length }: Buffer) => length;
    return atMinimumRate(this.limits.apply(queued, context, bytesOf), bytesOf);
  }

  /** Executes a statement when it is its turn. The time that the consumer needs is not part of its cost. */
  private async *queued<Item>(
    query: Sql,
    items: AsyncGenerator<Item, void>,
    context: ReadContext,
    { id, minCost }: { readonly id?: string; readonly minCost?: number | undefined },
  ): AsyncGenerator<Item, void> {
    const statement = await this.queue.begin(query.render().query, context, minCost);
    const slices = new Slices();
    let ms = 0;
    let isPlanned = false;
    try {
      for (;;) {
        // Blocks that have arrived together would otherwise be processed in one turn of the event loop.
        await slices.next();
        const begun = performance.now();
        const item = await items.next();
        ms += performance.now() - begun;
        slices.resume();
        isPlanned = true;
        if (item.done) return;
        yield item.value;
      }
    } finally {
      STATEMENT.observe(ms / 1000);
      await items.return();
      // ClickHouse plans a statement to its end, also when the client has disconnected.
      if (id && !isPlanned && context.signal.aborted && statement.isExpensive)
        void this.store.endOf(id, PLANNING_MAX_MS).then((isEnded) => {
          if (!isEnded) UNCONFIRMED.inc();
          statement.end(ms);
        });
      else statement.end(ms);
    }
  }

  /** The limits of one statement depend on the role of the caller. */
  private settingsOf({ principal }: ReadContext): Settings {
    return principal.role === 'admin' ? this.settings.admin : this.settings.others;
  }

  private async *explainedStream<Row>(
    query: Sql,
    id: string,
    settings: Settings,
    signal: AbortSignal,
    explanations: QueryExplanation[],
  ): AsyncGenerator<Row[], void> {
    const begun = performance.now();
    const { rowsRead, bytesRead } = yield* this.store.streamWithStats<Row>(
      query,
      settings,
      signal,
      id,
    );
    const rendered = query.render();
    explanations.push({
      sql: rendered.query,
      params: rendered.query_params,
      rows_read: rowsRead,
      bytes_read: bytesRead,
      elapsed_ms: Math.round((performance.now() - begun) * 1000) / 1000,
      indexes: await this.store.explain(query, settings),
    });
  }
}

interface StatementOptions<Row> {
  readonly minCost?: number;
  readonly settings?: Settings;
  readonly decode: LineDecoder<Row> | undefined;
}

/** Rows that are read into memory as a whole: the largest call fits. */
const ROWS_MAX_BYTES = 128 * 1024 * 1024;
/** A statement whose result is sent while it is read: any number of rows. */
const BULK_COST = 3;
/** The place of a statement that was abandoned while it was planned is free after this at the latest. */
const PLANNING_MAX_MS = 10_000;
/** The rows of one statement that wait in memory for a slow client. */
const READ_AHEAD_BYTES = 2 * 1024 * 1024;
/** A statement that can be continued runs this long while others wait. */
const TURN_MS = 1000;
/** A statement that can be continued waits this long for a slow client. */
const RESUMABLE_PATIENCE_MS = 500;
/** Any other statement waits this long, and longer for a client that reads this fast. */
const PATIENCE_MS = 30_000;
const MIN_BYTES_PER_SECOND = 64 * 1024;

async function* atMinimumRate<Item>(
  items: AsyncGenerator<Item, void>,
  sizeOf: (item: Item) => number,
): AsyncGenerator<Item, void> {
  const isComplete = yield* readAhead(items, {
    maxBytes: READ_AHEAD_BYTES,
    sizeOf,
    patienceMs: (bytes) => PATIENCE_MS + (1000 * bytes) / MIN_BYTES_PER_SECOND,
  });
  if (!isComplete)
    throw new QueryTimeoutError(
      `the client read less than ${MIN_BYTES_PER_SECOND} bytes per second`,
    );
}

/** About the bytes of the rows: texts are all that can be large. */
function bytesOfRows(rows: readonly unknown[]): number {
  let bytes = 0;
  for (const row of rows as readonly Record<string, unknown>[])
    for (const name in row) {
      const value = row[name];
      bytes += typeof value === 'string' ? value.length : 8;
    }
  return bytes;
}
