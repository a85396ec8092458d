import { Inject, Injectable } from '@nestjs/common';
import { and, QueryTooLargeError, type Sql } from '@app/clickhouse';
import type { Direction } from '@app/query-language';
import { micros, type Micros } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { callDecoder } from './call-decoder.js';
import { CALL_THRESHOLDS, type CallThresholds } from './call-thresholds.js';
import {
  afterCall,
  afterTimestamp,
  endOfWindow,
  newestStart,
  upToTimestamp,
} from './call-windows.sql.js';
import type { CallsQuery } from './calls-query.js';
import {
  allCalls,
  callsAt,
  keysOfCalls,
  type CallKey,
  type CallRecordRow,
  type SelectedColumn,
} from './calls.sql.js';

/** The target duration of one window, sending included: far less than a statement may take. */
const WINDOW_MS = 3000;
/** Bounds the growth from one window to the next: a first window is fast when it fits into socket buffers. */
const GROWTH = 4;

type Rows<End = void> = AsyncGenerator<readonly CallRecordRow[], End>;

interface WindowEnd {
  readonly calls: number;
  readonly last: CallKey | undefined;
  /** False when the client was slow, and the rest of the window has to be read by another statement. */
  readonly isComplete: boolean;
}

/** Streams any number of calls, block by block. */
@Injectable()
export class CallStreams {
  constructor(
    private readonly executor: QueryExecutor,
    @Inject(CALL_THRESHOLDS) readonly thresholds: CallThresholds,
  ) {}

  rows(query: CallsQuery, columns: readonly SelectedColumn[], context: ReadContext): Rows {
    const { order, offset } = query;
    return order.byTime && offset === 0
      ? this.byTime(query, order.byTime, columns, context)
      : this.byKeys(query, columns, context);
  }

  /**
   * Reads one time window after the other, each by its own statement, so that `QUERY_MAX_SECONDS` does not bound the whole
   * stream. A slow client occupies no statement: its window ends early, and the next one begins after the last call. Most streams are short, so the first window is simply
   * the first calls. The end of each later window is queried first, so that ClickHouse reads no more than it returns.
   * Calls that start after the first window was read are left out: otherwise the stream of a busy project might not end.
   */
  private async *byTime(
    query: CallsQuery,
    direction: Direction,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Rows {
    const { limit = Number.MAX_SAFE_INTEGER } = query;
    const first = Math.min(limit, this.thresholds.window.first);
    let begun = performance.now();
    const { calls, last, isComplete } = yield* this.window(
      { ...query, limit: first },
      columns,
      context,
    );
    if ((isComplete && calls < first) || calls === limit) return;
    const until = direction === 'asc' ? await this.newest(query, context) : undefined;
    const within = until === undefined ? [] : [upToTimestamp(direction, until)];
    let after = afterCall(direction, last!);
    let left = limit - calls;
    let size = nextWindowSize(first, performance.now() - begun, this.thresholds);
    while (left > 0) {
      begun = performance.now();
      const rest = and([after, ...within]);
      const end = query.keys
        ? undefined
        : await this.started(endOfWindow({ ...query, window: rest }, size), context);
      const window = end === undefined ? rest : and([rest, upToTimestamp(direction, end)]);
      const read = yield* this.window({ ...query, window, limit: left }, columns, context);
      left -= read.calls;
      if (!read.isComplete) {
        after = afterCall(direction, read.last!);
        continue;
      }
      if (end === undefined) return;
      after = afterTimestamp(direction, end);
      size = nextWindowSize(size, performance.now() - begun, this.thresholds);
    }
  }

  private window(query: CallsQuery, columns: readonly SelectedColumn[], context: ReadContext) {
    return readsPayloadsAtOnce(query)
      ? this.withPayloads(query, columns, context)
      : this.keysFirst(query, columns, context);
  }

  private async newest({ projectId }: CallsQuery, context: ReadContext): Promise<Micros> {
    return (await this.started(newestStart(projectId), context)) ?? micros(0);
  }

  private async started(query: Sql, context: ReadContext): Promise<Micros | undefined> {
    const [row] = await this.executor.rows<{ started: number | string }>(query, context);
    return row && micros(Number(row.started));
  }

  private async *withPayloads(
    query: CallsQuery,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Rows<WindowEnd> {
    let calls = 0;
    let last: CallKey | undefined;
    const statement = allCalls(query, columns);
    const blocks = this.executor.resumable(statement, context, callDecoder(columns));
    try {
      for (;;) {
        const block = await blocks.next();
        if (block.done) return { calls, last, isComplete: block.value };
        calls += block.value.length;
        last = block.value.at(-1) ?? last;
        yield block.value;
      }
    } finally {
      await blocks.return(false);
    }
  }

  /** Counts keys, not rows: a call may be deleted after its key was read. */
  private async *keysFirst(
    query: CallsQuery,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Rows<WindowEnd> {
    const keys = await this.executor.rows<CallKey>(keysOfCalls(query), context);
    const { page } = this.thresholds;
    for (let from = 0; from < keys.length; from += page)
      yield* this.at(query, keys.slice(from, from + page), columns, context);
    return { calls: keys.length, last: keys.at(-1), isComplete: true };
  }

  /** For any other order: ClickHouse sorts the keys, and payloads are read a page at a time. */
  private async *byKeys(
    query: CallsQuery,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Rows {
    const page: CallKey[] = [];
    for await (const keys of this.executor.stream<CallKey>(keysOfCalls(query), context)) {
      page.push(...keys);
      while (page.length >= this.thresholds.page)
        yield* this.at(query, page.splice(0, this.thresholds.page), columns, context);
    }
    if (page.length > 0) yield* this.at(query, page, columns, context);
  }

  /** The calls at these keys, in the order of the keys; in several blocks when their payloads are large. */
  async *at(
    query: CallsQuery,
    keys: readonly CallKey[],
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Rows {
    const found = await this.found(query, keys, columns, context);
    if (found === undefined) {
      const half = Math.ceil(keys.length / 2);
      yield* this.at(query, keys.slice(0, half), columns, context);
      yield* this.at(query, keys.slice(half), columns, context);
      return;
    }
    const byId = new Map(found.map((row) => [row.id, row]));
    yield keys.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
  }

  /** Undefined when the calls at these keys are too large to be in memory together. */
  private async found(
    { projectId }: CallsQuery,
    keys: readonly CallKey[],
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Promise<readonly CallRecordRow[] | undefined> {
    const statement = callsAt(projectId, keys, columns);
    const maxBytes = keys.length === 1 ? undefined : this.thresholds.bytes;
    try {
      return await this.executor.rows(statement, context, maxBytes, callDecoder(columns));
    } catch (error) {
      if (keys.length === 1 || !(error instanceof QueryTooLargeError)) throw error;
      return undefined;
    }
  }
}

/** True where ClickHouse returns nearly every row it reads, so that a first pass over the keys would gain nothing. */
const readsPayloadsAtOnce = ({ isByTimeOnly, isNarrow, keys }: CallsQuery) =>
  keys === undefined && (isByTimeOnly || isNarrow);

/** The number of calls that fits into WINDOW_MS at the pace of the last window. */
function nextWindowSize(calls: number, ms: number, { window }: CallThresholds): number {
  const atThisPace = Math.floor((calls * WINDOW_MS) / Math.max(ms, 1));
  return Math.max(window.min, Math.min(atThisPace, GROWTH * calls, window.max));
}
