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
    private readonly questions: QueryExecutor,
    @Inject(CALL_SIZES) readonly sizes: CallSizes,
  ) {}

  rows(question: CallsQuery, columns: readonly string[], reading: ReadContext): Rows {
    const { order, offset } = question;
    return order.byTime && offset === 0
      ? this.inTime(question, order.byTime, columns, reading)
      : this.byKeys(question, columns, reading);
  }

  /**
   * In the order of time, one stretch after the other: a slow reader holds no statement for longer than that, and a bound
   * on statements is none on streams. Most streams are short, so the first stretch is simply the first calls; later ones
   * are stretches of time, of which ClickHouse reads no more than it gives. What starts once the first is read is left out,
   * else a stream from a busy project might have no end.
   */
  private async *inTime(
    question: CallsQuery,
    direction: Direction,
    columns: readonly string[],
    reading: ReadContext,
  ): Rows {
    const { limit = Number.MAX_SAFE_INTEGER } = question;
    const first = Math.min(limit, this.sizes.stretch.first);
    let begun = performance.now();
    const { calls, last } = yield* this.part({ ...question, limit: first }, columns, reading);
    if (calls < first || calls === limit) return;
    const until = direction === 'asc' ? await this.newest(question, reading) : undefined;
    const within = until === undefined ? [] : [upToTimestamp(direction, until)];
    let behind = behindCall(direction, last!);
    let left = limit - calls;
    let most = nextStretch(first, performance.now() - begun, this.sizes);
    while (left > 0) {
      begun = performance.now();
      const rest = and([behind, ...within]);
      const end = question.at
        ? undefined
        : await this.moment(endOfWindow({ ...question, window: rest }, most), reading);
      const window = end === undefined ? rest : and([rest, upToTimestamp(direction, end)]);
      const some = yield* this.part({ ...question, window, limit: left }, columns, reading);
      if (end === undefined) return;
      left -= some.calls;
      behind = afterTimestamp(direction, end);
      most = nextStretch(most, performance.now() - begun, this.sizes);
    }
  }

  private part(question: CallsQuery, columns: readonly string[], reading: ReadContext) {
    return readsPayloadsAtOnce(question)
      ? this.withPayloads(question, columns, reading)
      : this.keysFirst(question, columns, reading);
  }

  private async newest({ projectId }: CallsQuery, reading: ReadContext): Promise<number> {
    return (await this.moment(newestStart(projectId), reading)) ?? 0;
  }

  private async moment(question: Sql, reading: ReadContext): Promise<number | undefined> {
    const [row] = await this.questions.rows<{ started: number | string }>(question, reading);
    return row && Number(row.started);
  }

  private async *withPayloads(
    part: CallsQuery,
    columns: readonly string[],
    reading: ReadContext,
  ): Rows<Stretch> {
    let calls = 0;
    let last: CallKey | undefined;
    const blocks = this.questions.stream<CallRecordRow>(allCalls(part, columns), reading);
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
    reading: ReadContext,
  ): Rows<Stretch> {
    const keys = await this.questions.rows<CallKey>(keysOfCalls(part), reading);
    const { page } = this.sizes;
    for (let from = 0; from < keys.length; from += page)
      yield await this.at(part, keys.slice(from, from + page), columns, reading);
    return { calls: keys.length, last: keys.at(-1) };
  }

  /** In any other order keys are sorted first; payloads are fetched a page at a time. */
  private async *byKeys(
    question: CallsQuery,
    columns: readonly string[],
    reading: ReadContext,
  ): Rows {
    const page: CallKey[] = [];
    for await (const keys of this.questions.stream<CallKey>(keysOfCalls(question), reading)) {
      page.push(...keys);
      while (page.length >= this.sizes.page)
        yield await this.at(question, page.splice(0, this.sizes.page), columns, reading);
    }
    if (page.length > 0) yield await this.at(question, page, columns, reading);
  }

  /** The calls at these keys, in the order of the keys. */
  async at(
    { projectId }: CallsQuery,
    keys: readonly CallKey[],
    columns: readonly string[],
    reading: ReadContext,
  ): Promise<CallRecordRow[]> {
    const found = await this.questions.rows<CallRecordRow>(
      callsAt(projectId, keys, columns),
      reading,
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
