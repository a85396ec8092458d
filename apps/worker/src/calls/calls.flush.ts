import { Injectable } from '@nestjs/common';
import { StoreRefusedError } from '@app/clickhouse';
import { factId, type CallFact, type Fact, type RejectedFact } from '@app/events';
import { counter, seconds, sizes } from '@app/observability';
import { allDone } from '../all-done.js';
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

type GiveWay = () => Promise<void>;
const atOnce: GiveWay = () => Promise.resolve();
/** A part of a flush is signed for with the whole. */
const later = () => Promise.resolve();

/** Facts of many jobs → log → rows. In this order, so that every row is the fold of a snapshot of the log. */
@Injectable()
export class CallsFlush {
  constructor(
    private readonly log: CallLog,
    private readonly snapshots: CallSnapshots,
    private readonly calls: CallsWriter,
    private readonly rest: FlushOutcome,
  ) {}

  /**
   * Resolves when every fact is stored, in its call or among the dead letters, and signed for. May be repeated. `giveWay`
   * is asked before each large statement.
   */
  async write(facts: readonly Fact[], giveWay: GiveWay = atOnce): Promise<void> {
    const rejected = facts.filter((fact): fact is RejectedFact => fact.kind === 'rejected');
    const accepted = facts.filter((fact): fact is CallFact => fact.kind !== 'rejected');
    await eachInTurns(facts, FACTS_PER_TURN, factId);
    const sign = () => this.rest.recordReceipt(facts);
    await allDone([this.rest.deadLetter(rejected), this.writeOrSplit(accepted, giveWay, sign)]);
  }

  /** A store that refuses for ever refuses one fact's content: halve until that one stands alone. */
  private async writeOrSplit(
    facts: readonly CallFact[],
    giveWay: GiveWay,
    sign: () => Promise<void>,
  ): Promise<void> {
    try {
      await this.project(facts, giveWay, sign);
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      if (facts.length === 1) await this.rest.deadLetterRefused(facts[0]!, error);
      else {
        const middle = facts.length >>> 1;
        await this.writeOrSplit(facts.slice(0, middle), atOnce, later);
        await this.writeOrSplit(facts.slice(middle), atOnce, later);
      }
      await sign();
    }
  }

  /** Facts that are in the log are signed for while their rows are written. */
  private async project(
    facts: readonly CallFact[],
    giveWay: GiveWay,
    sign: () => Promise<void>,
  ): Promise<void> {
    if (facts.length === 0) return sign();
    await giveWay();
    const stop = FLUSH.startTimer();
    FLUSH_FACTS.observe(facts.length);
    await this.log.append(facts);
    const snapshots = await this.snapshots.of(facts);
    const folded = await eachInTurns(snapshots, FOLDS_PER_TURN, foldOne);
    const calls = folded.flatMap(({ rows }) => rows.calls);
    const usage = folded.flatMap(({ rows }) => rows.usage);
    await giveWay();
    await allDone([this.calls.write({ calls, usage }), sign()]);
    ROWS.inc(calls.length);
    VIOLATIONS.inc(usageViolations(calls));
    READ.inc(folded.filter(({ snapshot }) => snapshot.wasRead).length);
    stop();
    await this.rest.updateAwaitingStart(
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
