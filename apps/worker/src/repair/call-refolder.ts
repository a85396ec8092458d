import { Injectable } from '@nestjs/common';
import { Store, type StoreRefusedError } from '@app/clickhouse';
import { distinct, factId, OTHER_USER, type CallFact } from '@app/events';
import { byteGroups } from '../calls/byte-groups.js';
import { CallLog, logKey, type CallKey } from '../calls/call-log.writer.js';
import { byCall } from '../calls/call-snapshots.js';
import { withoutEffect } from '../calls/call-owner.js';
import {
  CallsWriter,
  FOLD_GROUPS,
  foldRows,
  leafBytes,
  type FoldedRows,
} from '../calls/calls.writer.js';
import { groupsInTurns } from '../calls/in-turns.js';
import { DeadLetters, type DeadLetter } from '../pipeline/dead-letters.writer.js';
import { writeOrBisect } from '../pipeline/bisect.js';
import { RefusalEvidence } from '../pipeline/refusal-evidence.js';
import { callsInRange, copyHiddenRows, countInRange, type Range } from './repair.sql.js';

const PAGE = 1000;
const FOLDS = { ...FOLD_GROUPS, bytesOf: leafBytes };

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Calls of which some facts cannot be stored and are dead letters. */
  readonly deadLettered: number;
}

/** All facts of one call. */
type Facts = readonly CallFact[];

/** Folds calls again from the log. Safe at any time: the same facts fold to the same row. */
@Injectable()
export class CallRefolder {
  private readonly evidence: RefusalEvidence;

  constructor(
    private readonly store: Store,
    private readonly log: CallLog,
    private readonly writer: CallsWriter,
    private readonly deadLetters: DeadLetters,
  ) {
    // A command of the CLI runs once, so it cannot wait for the writes of others.
    this.evidence = new RefusalEvidence(() => deadLetters.areAccepted(), 0);
  }

  /**
   * Resolves to the number of dead-lettered calls, which do not stop the repair of the others. Reads and writes the calls in
   * groups that fit into memory.
   */
  async refold(calls: readonly CallKey[], suffix = ''): Promise<number> {
    const sizes = await this.log.bytesOf(calls);
    let deadLettered = 0;
    for (const group of byteGroups(calls, (call) => sizes.get(logKey(call)) ?? 0)) {
      const facts = byCall(await this.log.factsOf(group));
      const known = [...facts.values()].map(distinct);
      deadLettered += await this.write(known, suffix);
      await this.deadLetters.write(known.flatMap(deadLettersOf));
    }
    return deadLettered;
  }

  /** Refolds every call that has a fact in the range. Yields after each page, where the caller can pause. */
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

  /** For a rebuild: keeps deleted calls hidden whose starts were erased from the log. */
  copyHidden(suffix: string): Promise<void> {
    return this.store.run(copyHiddenRows(suffix));
  }

  private async page(range: Range, after: CallKey, size: number): Promise<CallKey[]> {
    type Row = { project_id: string; call_id: string };
    const rows = await this.store.rows<Row>(callsInRange(range, after, size));
    return rows.map(({ project_id, call_id }) => [project_id, call_id]);
  }

  /** Resolves to the number of calls that ClickHouse refused. */
  private async write(calls: readonly Facts[], suffix: string): Promise<number> {
    let deadLettered = 0;
    await writeOrBisect(calls, {
      write: (batch) => this.fold(batch, suffix),
      deadLetter: async (facts, refusal) => {
        await this.deadLetter(facts, refusal, suffix);
        deadLettered++;
      },
      evidence: this.evidence,
    });
    return deadLettered;
  }

  private async fold(calls: readonly Facts[], suffix: string): Promise<void> {
    for await (const folds of groupsInTurns(calls, foldRows, FOLDS))
      await this.writer.writeUsageFirst(together(folds), suffix);
  }

  /**
   * When a flush has dead-lettered some facts of the call, the call is folded from the others. Otherwise, or when that fold is
   * refused too, the remaining facts become dead letters.
   */
  private async deadLetter(
    facts: Facts,
    { message }: StoreRefusedError,
    suffix: string,
  ): Promise<void> {
    const known = await this.deadLetters.among(facts);
    const others = facts.filter((fact) => !known.has(factId(fact)));
    let isRefused = known.size === 0;
    if (!isRefused) {
      const refuse = async () => void (isRefused = true);
      await writeOrBisect([others], {
        write: (batch) => this.fold(batch, suffix),
        deadLetter: refuse,
        evidence: this.evidence,
      });
    }
    if (!isRefused) return;
    await this.deadLetters.write(
      others.map((fact) => ({ fact, reason: message, cause: 'refused' })),
    );
  }
}

/** A flush that was interrupted may not have written them. Writing one twice changes nothing. */
const deadLettersOf = (facts: Facts): DeadLetter[] =>
  withoutEffect(facts).map((fact) => ({ fact, reason: OTHER_USER, cause: 'other_user' }));

const together = (folds: readonly FoldedRows[]): FoldedRows => ({
  calls: folds.flatMap((rows) => rows.calls),
  usage: folds.flatMap((rows) => rows.usage),
});
