import { Injectable } from '@nestjs/common';
import { StoreRefusedError, type CallRow } from '@app/clickhouse';
import { factId, OTHER_USER, type CallFact, type Fact, type RejectedFact } from '@app/events';
import { counter, seconds, sizes } from '@app/observability';
import { AuditTrail, CallChanges } from '@app/queue';
import { allDone } from '../pipeline/all-done.js';
import { bisect } from '../pipeline/bisect.js';
import { DeadLetters } from '../pipeline/dead-letters.writer.js';
import { requireYoung } from '../pipeline/flush-age.js';
import { FlushReceipts } from '../pipeline/flush-receipts.writer.js';
import { RefusalEvidence } from '../pipeline/refusal-evidence.js';
import { CallLog } from './call-log.writer.js';
import { overwrites, withoutEffect } from './call-owner.js';
import { CallSnapshots, type Snapshot } from './call-snapshots.js';
import { usageViolations } from './call-usage.js';
import { CallsWriter, FOLD_GROUPS, foldRows, leafBytes, type FoldedRows } from './calls.writer.js';
import { groupsInTurns, mapInTurns } from './in-turns.js';

/** Writes the results of a flush other than rows: dead letters, flush receipts, and the changes that tails wait for. */
@Injectable()
export class FlushOutcome {
  /** Of all flushes of this worker, whatever their lane. */
  readonly evidence: RefusalEvidence;

  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly receipts: FlushReceipts,
    private readonly changes: CallChanges,
    private readonly audit: AuditTrail,
  ) {
    this.evidence = new RefusalEvidence(() => deadLetters.areAccepted());
  }

  deadLetter(rejected: readonly RejectedFact[]): Promise<void> {
    return this.deadLetters.write(
      rejected.map((fact) => ({ fact, reason: fact.reason, cause: 'invalid' })),
    );
  }

  deadLetterRefused(fact: CallFact, { message }: StoreRefusedError): Promise<void> {
    return this.deadLetters.write([{ fact, reason: message, cause: 'refused' }]);
  }

  deadLetterWithoutEffect(facts: readonly CallFact[]): Promise<void> {
    return this.deadLetters.write(
      facts.map((fact) => ({ fact, reason: OTHER_USER, cause: 'other_user' })),
    );
  }

  /**
   * One entry for each project and request. A flush that is repeated records its entries again. No flush fails because of it: a
   * Redis that is full must be drained.
   */
  async recordOverwrites(facts: readonly CallFact[]): Promise<void> {
    try {
      await this.auditOverwrites(facts);
    } catch {
      UNAUDITED.inc(facts.length);
    }
  }

  private async auditOverwrites(facts: readonly CallFact[]): Promise<void> {
    const byRequest = new Map<string, CallFact[]>();
    for (const fact of facts) {
      const key = JSON.stringify([fact.projectId, fact.userId, fact.origin]);
      const known = byRequest.get(key);
      if (known === undefined) byRequest.set(key, [fact]);
      else known.push(fact);
    }
    for (const replacing of byRequest.values()) {
      const { projectId, userId, origin } = replacing[0]!;
      const calls = new Set(replacing.map(({ callId }) => callId));
      const detail = { call_ids: [...calls].slice(0, AUDITED_IDS), count: calls.size };
      const entry = { userId, ...origin, action: 'calls.overwrite', projectId, detail };
      await this.audit.record(entry);
    }
  }

  recordReceipt(facts: readonly Fact[]): Promise<void> {
    return this.receipts.write(facts);
  }

  /** A tail may lose changes, but no flush fails because of it. */
  async recordChanges(rows: readonly CallRow[]): Promise<void> {
    try {
      await this.changes.record(rows);
    } catch {
      CHANGES_LOST.inc(rows.length);
    }
  }
}

const FLUSH = seconds(
  'heddle_worker_flush_seconds',
  'Time of one flush, from the insert into the log to the insert of the rows.',
);
const FLUSH_FACTS = sizes('heddle_worker_flush_facts', 'Facts in one flush.');
const ROWS = counter('heddle_worker_rows_written_total', 'Rows of calls written.');
const VIOLATIONS = counter(
  'heddle_worker_usage_violations_total',
  'Usages whose parts do not add up to their total.',
);
const CHANGES_LOST = counter(
  'heddle_worker_call_changes_lost_total',
  'Written calls that may be missing in tails, because Redis failed.',
);
const UNAUDITED = counter(
  'heddle_worker_unaudited_overwrites_total',
  'Facts that replaced those of another user without an entry in the audit log, because Redis failed.',
);
const READ = counter(
  'heddle_worker_calls_read_total',
  'Calls whose facts were read from the log to fold them.',
);

/** A millisecond or two of work; more where payloads are large. */
const FACTS_PER_TURN = 64;

/** An entry of the audit log has at most this many ids. */
const AUDITED_IDS = 100;

type Yield = () => Promise<void>;
const neverYield: Yield = () => Promise.resolve();
const noReceipt = () => Promise.resolve();

/** Appends the facts of many jobs to the log, then writes rows. So every row is the fold of a snapshot of the log. */
@Injectable()
export class CallsFlush {
  constructor(
    private readonly log: CallLog,
    private readonly snapshots: CallSnapshots,
    private readonly calls: CallsWriter,
    private readonly outcome: FlushOutcome,
  ) {}

  /**
   * Resolves when every fact is stored, in its call or as a dead letter, and has a receipt. May be repeated.
   * `yieldToOthers` is awaited before each large insert.
   */
  async write(facts: readonly Fact[], yieldToOthers: Yield = neverYield): Promise<void> {
    const beganAt = Date.now();
    const yieldWhileYoung = async () => {
      await yieldToOthers();
      requireYoung(beganAt);
    };
    const rejected = facts.filter((fact): fact is RejectedFact => fact.kind === 'rejected');
    const accepted = facts.filter((fact): fact is CallFact => fact.kind !== 'rejected');
    // Computes the ids once; `factId` remembers them.
    await mapInTurns(facts, FACTS_PER_TURN, factId);
    const recordReceipt = () => this.outcome.recordReceipt(facts);
    await allDone([
      this.outcome.deadLetter(rejected),
      this.projectOrBisect(accepted, yieldWhileYoung, recordReceipt),
    ]);
  }

  /** The halves of a refused flush do not yield. One receipt is recorded after all of them. */
  private async projectOrBisect(
    facts: readonly CallFact[],
    yieldToOthers: Yield,
    recordReceipt: () => Promise<void>,
  ): Promise<void> {
    try {
      await this.project(facts, yieldToOthers, recordReceipt);
      if (facts.length > 0) this.outcome.evidence.recordAccepted();
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      await bisect(facts, error, {
        write: (half) => this.project(half, neverYield, noReceipt),
        deadLetter: (fact, refusal) => this.outcome.deadLetterRefused(fact, refusal),
        evidence: this.outcome.evidence,
      });
      await recordReceipt();
    }
  }

  /** The receipt is recorded while the rows are written: the facts are in the log by then. */
  private async project(
    facts: readonly CallFact[],
    yieldToOthers: Yield,
    recordReceipt: () => Promise<void>,
  ): Promise<void> {
    if (facts.length === 0) return recordReceipt();
    await yieldToOthers();
    const stopTimer = FLUSH.startTimer();
    FLUSH_FACTS.observe(facts.length);
    await this.log.append(facts);
    const receipt = once(recordReceipt);
    for await (const snapshots of this.snapshots.of(facts))
      for await (const folded of groupsInTurns(snapshots, foldOne, FOLDS))
        await this.writeRows(folded, yieldToOthers, receipt);
    await receipt();
    stopTimer();
  }

  private async writeRows(
    folded: readonly Folded[],
    yieldToOthers: Yield,
    recordReceipt: () => Promise<void>,
  ): Promise<void> {
    const calls = folded.flatMap(({ rows }) => rows.calls);
    const usage = folded.flatMap(({ rows }) => rows.usage);
    await yieldToOthers();
    await allDone([
      this.calls.write({ calls, usage }),
      this.outcome.deadLetterWithoutEffect(folded.flatMap(({ refused }) => refused)),
      recordReceipt(),
    ]);
    await this.outcome.recordOverwrites(folded.flatMap(({ replacing }) => replacing));
    await this.outcome.recordChanges(calls);
    ROWS.inc(calls.length);
    VIOLATIONS.inc(usageViolations(calls));
    READ.inc(folded.filter(({ snapshot }) => snapshot.wasRead).length);
    const withRows = folded.filter(({ rows }) => rows.calls.length > 0);
    await this.snapshots.recordStarted(withRows.map(({ snapshot }) => snapshot));
  }
}

interface Folded {
  readonly snapshot: Snapshot;
  readonly rows: FoldedRows;
  /** Facts that take no effect. */
  readonly refused: readonly CallFact[];
  /** Facts that replace those of another user. */
  readonly replacing: readonly CallFact[];
}

const foldOne = (snapshot: Snapshot): Folded => ({
  snapshot,
  rows: foldRows(snapshot.facts),
  refused: withoutEffect(snapshot.facts, snapshot.own),
  replacing: overwrites(snapshot.facts, snapshot.own),
});

const FOLDS = { ...FOLD_GROUPS, bytesOf: ({ rows }: Folded) => leafBytes(rows) };

/** Calls `work` the first time only. */
function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => (result ??= work());
}
