import { Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import type { CallFact } from '@app/events';
import { CallLog, type CallKey } from '../calls/call-log.writer.js';
import { byCall } from '../calls/call-snapshots.js';
import { CallsWriter, foldRows, type FoldedRows } from '../calls/calls.writer.js';
import { callsInRange, countInRange, type Range } from './repair.sql.js';

const PAGE = 1000;

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Calls that cannot be folded; the flush has buried their facts, and they keep the row they have. */
  readonly unfoldable: number;
}

/** Folds calls again from the whole log. Harmless at any time: a fold of the same facts is the same row. */
@Injectable()
export class CallRefolder {
  constructor(
    private readonly store: Store,
    private readonly log: CallLog,
    private readonly writer: CallsWriter,
  ) {}

  /** Resolves to the number of calls that cannot be folded: one of them must not stop the repair of all others. */
  async refold(calls: readonly CallKey[], suffix = ''): Promise<number> {
    const facts = byCall(await this.log.factsOf(calls));
    const folds = [...facts.values()].map(foldIfPossible);
    const rows = folds.filter((one) => one !== undefined);
    await this.writer.writeUsageFirst(
      { calls: rows.flatMap((one) => one.calls), usage: rows.flatMap((one) => one.usage) },
      suffix,
    );
    return folds.length - rows.length;
  }

  /** Refolds every call that has a fact in the range; yields after each page, so the caller sets the pace. */
  async *refoldRange(range: Range, suffix = ''): AsyncGenerator<Progress> {
    const [counted] = await this.store.rows<{ calls: number | string }>(countInRange(range));
    const total = Number(counted?.calls ?? 0);
    let [done, unfoldable] = [0, 0];
    for (let after: CallKey = ['', '']; ;) {
      const page = await this.page(range, after);
      if (page.length === 0) return;
      unfoldable += await this.refold(page, suffix);
      done += page.length;
      after = page.at(-1)!;
      yield { done, total: Math.max(total, done), unfoldable };
    }
  }

  private async page(range: Range, after: CallKey): Promise<CallKey[]> {
    type Row = { project_id: string; call_id: string };
    const rows = await this.store.rows<Row>(callsInRange(range, after, PAGE));
    return rows.map(({ project_id, call_id }) => [project_id, call_id]);
  }
}

function foldIfPossible(facts: readonly CallFact[]): FoldedRows | undefined {
  try {
    return foldRows(facts);
  } catch {
    return undefined; // counted and told by whoever asked for the repair
  }
}
