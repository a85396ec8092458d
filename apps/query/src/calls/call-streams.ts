import { Inject, Injectable } from '@nestjs/common';
import { and, type Sql } from '@app/clickhouse';
import type { Direction } from '@app/query-language';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CALL_SIZES, type CallSizes } from './call-sizes.js';
import type { CallsQuery } from './calls-query.js';
import {
  allCalls,
  behindCall,
  afterTimestamp,
  callsAt,
  keysOfCalls,
  endOfWindow,
  newestStart,
  upToTimestamp,
  type CallKey,
  type CallRecordRow,
} from './calls.sql.js';

/** How long a stretch may take, sending included: far less than a statement may. */
const STRETCH_MS = 3000;
/** A first stretch may be quick because it fits into buffers on the way. */
const GROWTH = 4;

type Rows<End = void> = AsyncGenerator<readonly CallRecordRow[], End>;

interface Stretch {
  readonly calls: number;
  readonly last: CallKey | undefined;
}

/** Any number of calls, block by block. */
@Injectable()
export class CallStreams {
  constructor(
    private readonly executor: QueryExecutor,
    @Inject(CALL_SIZES) readonly sizes: CallSizes,
  ) {}

  rows(query: CallsQuery, columns: readonly string[], context: ReadContext): Rows {
    const { order, offset } = query;
    return order.byTime && offset === 0
      ? this.inTime(query, order.byTime, columns, context)
      : this.byKeys(query, columns, context);
  }

  /**
   * In the order of time, one stretch after the other: a slow reader holds no statement for longer than that, and a bound
   * on statements is none on streams. Most streams are short, so the first stretch is simply the first calls; later ones
   * are stretches of time, of which ClickHouse reads no more than it gives. What starts once the first is read is left out,
   * else a stream from a busy project might have no end.
   */
  private async *inTime(
    query: CallsQuery,
    direction: Direction,
    columns: readonly string[],
    context: ReadContext,
  ): Rows {
    const { limit = Number.MAX_SAFE_INTEGER } = query;
    const first = Math.min(limit, this.sizes.stretch.first);
    let begun = performance.now();
    const { calls, last } = yield* this.part({ ...query, limit: first }, columns, context);
    if (calls < first || calls === limit) return;
    const until = direction === 'asc' ? await this.newest(query, context) : undefined;
    const within = until === undefined ? [] : [upToTimestamp(direction, until)];
    let behind = behindCall(direction, last!);
    let left = limit - calls;
    let most = nextStretch(first, performance.now() - begun, this.sizes);
    while (left > 0) {
      begun = performance.now();
      const rest = and([behind, ...within]);
      const end = query.at
        ? undefined
        : await this.moment(endOfWindow({ ...query, window: rest }, most), context);
      const window = end === undefined ? rest : and([rest, upToTimestamp(direction, end)]);
      const some = yield* this.part({ ...query, window, limit: left }, columns, context);
      if (end === undefined) return;
      left -= some.calls;
      behind = afterTimestamp(direction, end);
      most = nextStretch(most, performance.now() - begun, this.sizes);
    }
  }

  private part(query: CallsQuery, columns: readonly string[], context: ReadContext) {
    return readsPayloadsAtOnce(query)
      ? this.withPayloads(query, columns, context)
      : this.keysFirst(query, columns, context);
  }

  private async newest({ projectId }: CallsQuery, context: ReadContext): Promise<number> {
    return (await this.moment(newestStart(projectId), context)) ?? 0;
  }

  private async moment(query: Sql, context: ReadContext): Promise<number | undefined> {
    const [row] = await this.executor.rows<{ started: number | string }>(query, context);
    return row && Number(row.started);
  }

  private async *withPayloads(
    part: CallsQuery,
    columns: readonly string[],
    context: ReadContext,
  ): Rows<Stretch> {
    let calls = 0;
    let last: CallKey | undefined;
    const blocks = this.executor.stream<CallRecordRow>(allCalls(part, columns), context);
    for await (const rows of blocks) {
      calls += rows.length;
      last = rows.at(-1) ?? last;
      yield rows;
    }
    return { calls, last };
  }

  /** Keys count, not what is read at them: a call may be deleted in between. */
  private async *keysFirst(
    part: CallsQuery,
    columns: readonly string[],
    context: ReadContext,
  ): Rows<Stretch> {
    const keys = await this.executor.rows<CallKey>(keysOfCalls(part), context);
    const { page } = this.sizes;
    for (let from = 0; from < keys.length; from += page)
      yield await this.at(part, keys.slice(from, from + page), columns, context);
    return { calls: keys.length, last: keys.at(-1) };
  }

  /** In any other order keys are sorted first; payloads are fetched a page at a time. */
  private async *byKeys(query: CallsQuery, columns: readonly string[], context: ReadContext): Rows {
    const page: CallKey[] = [];
    for await (const keys of this.executor.stream<CallKey>(keysOfCalls(query), context)) {
      page.push(...keys);
      while (page.length >= this.sizes.page)
        yield await this.at(query, page.splice(0, this.sizes.page), columns, context);
    }
    if (page.length > 0) yield await this.at(query, page, columns, context);
  }

  /** The calls at these keys, in the order of the keys. */
  async at(
    { projectId }: CallsQuery,
    keys: readonly CallKey[],
    columns: readonly string[],
    context: ReadContext,
  ): Promise<CallRecordRow[]> {
    const found = await this.executor.rows<CallRecordRow>(
      callsAt(projectId, keys, columns),
      context,
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return keys.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
  }
}

/** Nearly every row that is read is also returned, so its payload may as well be read at once. Not where keys are known. */
const readsPayloadsAtOnce = ({ isByTimeOnly, isNarrow, at }: CallsQuery) =>
  at === undefined && (isByTimeOnly || isNarrow);

/** As many as the last pace allows. */
function nextStretch(calls: number, ms: number, { stretch }: CallSizes): number {
  const atThisPace = Math.floor((calls * STRETCH_MS) / Math.max(ms, 1));
  return Math.max(stretch.least, Math.min(atThisPace, GROWTH * calls, stretch.most));
}
