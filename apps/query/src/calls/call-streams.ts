import { Inject, Injectable } from '@nestjs/common';
import type { Direction } from '@app/query-language';
import { Questions } from '../questions.js';
import type { Reading } from '../reading.js';
import { CALL_SIZES, type CallSizes } from './call-sizes.js';
import type { CallsQuestion } from './calls-question.js';
import {
  allCalls,
  callsAt,
  keysOfCalls,
  newestStart,
  stretchOfCalls,
  type CallKey,
  type CallRecordRow,
} from './calls.sql.js';

const QUICK_MS = 1000;
const SLOW_MS = 5000;

type Rows<End = void> = AsyncGenerator<readonly CallRecordRow[], End>;

interface Stretch {
  readonly calls: number;
  readonly last: CallKey | undefined;
}

/** Any number of calls, block by block. */
@Injectable()
export class CallStreams {
  constructor(
    private readonly questions: Questions,
    @Inject(CALL_SIZES) readonly sizes: CallSizes,
  ) {}

  rows(question: CallsQuestion, columns: readonly string[], reading: Reading): Rows {
    const { order, offset } = question;
    return order.byTime && offset === 0
      ? this.inTime(question, order.byTime, columns, reading)
      : this.byKeys(question, columns, reading);
  }

  /**
   * In the order of time a stretch is read after the other: a slow reader holds no statement for longer than that, and a
   * bound on statements is none on streams. What starts once the first stretch is read is left out; else a stream from a
   * busy project might have no end.
   */
  private async *inTime(
    question: CallsQuestion,
    direction: Direction,
    columns: readonly string[],
    reading: Reading,
  ): Rows {
    let left = question.limit ?? Number.MAX_SAFE_INTEGER;
    let most = this.sizes.stretch.first;
    let after: CallKey | undefined;
    let until: number | undefined;
    while (left > 0) {
      const begun = performance.now();
      const limit = Math.min(most, left);
      const part = { ...question, limit, stretch: stretchOfCalls(direction, after, until) };
      const { calls, last } = yield* readsPayloadsAtOnce(question)
        ? this.withPayloads(part, columns, reading)
        : this.keysFirst(part, columns, reading);
      if (calls < limit) return;
      left -= calls;
      after = last;
      if (direction === 'asc') until ??= await this.newest(question, reading);
      most = nextStretch(most, performance.now() - begun, this.sizes);
    }
  }

  private async *withPayloads(
    part: CallsQuestion,
    columns: readonly string[],
    reading: Reading,
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
    part: CallsQuestion,
    columns: readonly string[],
    reading: Reading,
  ): Rows<Stretch> {
    const keys = await this.questions.rows<CallKey>(keysOfCalls(part), reading);
    const { page } = this.sizes;
    for (let from = 0; from < keys.length; from += page)
      yield await this.at(part, keys.slice(from, from + page), columns, reading);
    return { calls: keys.length, last: keys.at(-1) };
  }

  private async newest({ projectId }: CallsQuestion, reading: Reading): Promise<number> {
    const [row] = await this.questions.rows<{ started: number | string }>(
      newestStart(projectId),
      reading,
    );
    return Number(row?.started ?? 0);
  }

  /** In any other order keys are sorted first; payloads are fetched a page at a time. */
  private async *byKeys(
    question: CallsQuestion,
    columns: readonly string[],
    reading: Reading,
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
    { projectId }: CallsQuestion,
    keys: readonly CallKey[],
    columns: readonly string[],
    reading: Reading,
  ): Promise<CallRecordRow[]> {
    const found = await this.questions.rows<CallRecordRow>(
      callsAt(projectId, keys, columns),
      reading,
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return keys.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
  }
}

/** Nearly every row that is read is also returned, so its payload may as well be read at once. */
const readsPayloadsAtOnce = ({ isByTimeOnly, isNarrow, at }: CallsQuestion) =>
  isByTimeOnly || isNarrow || at !== undefined;

/** Large for who reads fast, small for who would hold a statement for long. */
function nextStretch(calls: number, ms: number, { stretch }: CallSizes): number {
  if (ms < QUICK_MS) return Math.min(2 * calls, stretch.most);
  return ms > SLOW_MS ? Math.max(calls >> 1, stretch.least) : calls;
}
