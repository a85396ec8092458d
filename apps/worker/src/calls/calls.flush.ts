import { Injectable } from '@nestjs/common';
import { StoreRefusedError } from '@app/clickhouse';
import { factId, type CallFact, type Fact, type RejectedFact } from '@app/events';
import { counter, seconds, sizes } from '@app/observability';
import { allDone } from '../all-done.js';
import { bisect } from '../pipeline/bisect.js';
import { CallLog } from './call-log.writer.js';
import { CallSnapshots, type Snapshot } from './call-snapshots.js';
import { usageViolations } from './call-usage.js';
import { CallsWriter, foldRows, type FoldedRows } from './calls.writer.js';
import { FlushOutcome } from './flush-outcome.js';
import { eachInTurns } from './in-turns.js';

const FLUSH = seconds('worker_flush_seconds', 'Time of one flush, from the log to the rows.');
const FLUSH_FACTS = sizes('worker_flush_facts', 'Facts in one flush.');
const ROWS = counter('worker_rows_written_total', 'Rows of calls written.');
const VIOLATIONS = counter(
  'worker_usage_violations_total',
  'Usages whose parts do not add up to their total.',
);
const READ = counter(
  'worker_calls_read_total',
  'Calls whose facts were read from the log to fold them.',
);

/** A millisecond or two of hashing, and of folding; more where payloads are large. */
const FACTS_PER_TURN = 64;
const FOLDS_PER_TURN = 32;

type Yield = () => Promise<void>;
const atOnce: Yield = () => Promise.resolve();
/** The receipt of a part of a flush is recorded with the whole. */
const later = () => Promise.resolve();

/** Facts of many jobs → log → rows. In this order, so that every row is the fold of a snapshot of the log. */
@Injectable()
export class CallsFlush {
  constructor(
    private readonly log: CallLog,
    private readonly snapshots: CallSnapshots,
    private readonly calls: CallsWriter,
    private readonly outcome: FlushOutcome,
  ) {}

  /**
   * Resolves when every fact is stored, in its call or among the dead letters, and has a receipt. May be repeated. `yieldToOthers`
   * is asked before each large statement.
   */
  async write(facts: readonly Fact[], yieldToOthers: Yield = atOnce): Promise<void> {
    const rejected = facts.filter((fact): fact is RejectedFact => fact.kind === 'rejected');
    const accepted = facts.filter((fact): fact is CallFact => fact.kind !== 'rejected');
    await eachInTurns(facts, FACTS_PER_TURN, factId);
    const recordReceipt = () => this.outcome.recordReceipt(facts);
    await allDone([
      this.outcome.deadLetter(rejected),
      this.projectOrBisect(accepted, yieldToOthers, recordReceipt),
    ]);
  }

  /** The halves of a refused flush yield to nobody, and their receipt is recorded with the whole. */
  private async projectOrBisect(
    facts: readonly CallFact[],
    yieldToOthers: Yield,
    recordReceipt: () => Promise<void>,
  ): Promise<void> {
    try {
      await this.project(facts, yieldToOthers, recordReceipt);
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      await bisect(
        facts,
        error,
        (some) => this.project(some, atOnce, later),
        (fact, refusal) => this.outcome.deadLetterRefused(fact, refusal),
      );
      await recordReceipt();
    }
  }

  /** The receipt of facts that are in the log is recorded while their rows are written. */
  private async project(
    facts: readonly CallFact[],
    yieldToOthers: Yield,
    recordReceipt: () => Promise<void>,
  ): Promise<void> {
    if (facts.length === 0) return recordReceipt();
    await yieldToOthers();
    const stop = FLUSH.startTimer();
    FLUSH_FACTS.observe(facts.length);
    await this.log.append(facts);
    const snapshots = await this.snapshots.of(facts);
    const folded = await eachInTurns(snapshots, FOLDS_PER_TURN, foldOne);
    const calls = folded.flatMap(({ rows }) => rows.calls);
    const usage = folded.flatMap(({ rows }) => rows.usage);
    await yieldToOthers();
    await allDone([this.calls.write({ calls, usage }), recordReceipt()]);
    ROWS.inc(calls.length);
    VIOLATIONS.inc(usageViolations(calls));
    READ.inc(folded.filter(({ snapshot }) => snapshot.wasRead).length);
    stop();
    await this.outcome.updateAwaitingStart(
      folded.filter(({ rows }) => rows.calls.length === 0).map(keyOf),
      folded.filter(({ snapshot, rows }) => snapshot.wasRead && rows.calls.length > 0).map(keyOf),
    );
  }
}

interface Folded {
  readonly snapshot: Snapshot;
  readonly rows: FoldedRows;
}

const foldOne = (snapshot: Snapshot): Folded => ({ snapshot, rows: foldRows(snapshot.facts) });

const keyOf = ({ snapshot }: Folded) => snapshot.key;
