import { Injectable } from '@nestjs/common';
import { Store, StoreRefusedError } from '@app/clickhouse';
import { factId, type CallFact } from '@app/events';
import { CallLog, type CallKey } from '../calls/call-log.writer.js';
import { byCall } from '../calls/call-snapshots.js';
import { distinct } from '../calls/call.projection.js';
import { CallsWriter, foldRows, type FoldedRows } from '../calls/calls.writer.js';
import { DeadLetters } from '../dead-letters.writer.js';
import { callsInRange, countInRange, type Range } from './repair.sql.js';

const PAGE = 1000;

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Calls that can never be stored with all their facts: those are among the dead letters. */
  readonly deadLettered: number;
}

/** All facts of one call. */
type Facts = readonly CallFact[];

/** Folds calls again from the whole log. Harmless at any time: a fold of the same facts is the same row. */
@Injectable()
export class CallRefolder {
  constructor(
    private readonly store: Store,
    private readonly log: CallLog,
    private readonly writer: CallsWriter,
    private readonly letters: DeadLetters,
  ) {}

  /** Resolves to the number of calls that were deadLettered: one of them must not stop the repair of all others. */
  async refold(calls: readonly CallKey[], suffix = ''): Promise<number> {
    const facts = byCall(await this.log.factsOf(calls));
    return this.write([...facts.values()].map(distinct), suffix);
  }

  /** Refolds every call that has a fact in the range; yields after each page, so the caller sets the pace. */
  async *refoldRange(range: Range, suffix = '', pageSize = PAGE): AsyncGenerator<Progress> {
    const [counted] = await this.store.rows<{ calls: number | string }>(countInRange(range));
    const total = Number(counted?.calls ?? 0);
    let [done, deadLettered] = [0, 0];
    for (let after: CallKey = ['', '']; ;) {
      const page = await this.page(range, after, Math.min(pageSize, PAGE));
      if (page.length === 0) return;
      deadLettered += await this.refold(page, suffix);
      done += page.length;
      after = page.at(-1)!;
      yield { done, total: Math.max(total, done), deadLettered };
    }
  }

  private async page(range: Range, after: CallKey, size: number): Promise<CallKey[]> {
    type Row = { project_id: string; call_id: string };
    const rows = await this.store.rows<Row>(callsInRange(range, after, size));
    return rows.map(({ project_id, call_id }) => [project_id, call_id]);
  }

  /** A store that refuses for ever refuses one call: halve until that one stands alone. */
  private async write(calls: readonly Facts[], suffix: string): Promise<number> {
    const refusal = await this.refusal(calls, suffix);
    if (refusal === undefined) return 0;
    if (calls.length === 1) {
      await this.bury(calls[0]!, refusal, suffix);
      return 1;
    }
    const middle = calls.length >>> 1;
    const deadLettered = await this.write(calls.slice(0, middle), suffix);
    return deadLettered + (await this.write(calls.slice(middle), suffix));
  }

  /** Why these calls can never be stored together; nothing once they are. */
  private async refusal(
    calls: readonly Facts[],
    suffix: string,
  ): Promise<StoreRefusedError | undefined> {
    try {
      await this.writer.writeUsageFirst(foldAll(calls), suffix);
      return undefined;
    } catch (error) {
      if (error instanceof StoreRefusedError) return error;
      throw error;
    }
  }

  /**
   * One letter for a fact is enough, so facts that a flush has deadLettered are left as they are, and the call keeps what the
   * others add up to.
   */
  private async bury(facts: Facts, { message }: StoreRefusedError, suffix: string): Promise<void> {
    const deadLettered = await this.letters.among(facts);
    const others = facts.filter((fact) => !deadLettered.has(factId(fact)));
    if (deadLettered.size > 0 && (await this.refusal([others], suffix)) === undefined) return;
    await this.letters.write(others.map((fact) => ({ fact, reason: message })));
  }
}

function foldAll(calls: readonly Facts[]): FoldedRows {
  const folds = calls.map(foldRows);
  return {
    calls: folds.flatMap((one) => one.calls),
    usage: folds.flatMap((one) => one.usage),
  };
}
