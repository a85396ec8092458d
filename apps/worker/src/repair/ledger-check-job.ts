import { Inject, Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { Ledger, type BrokenLedger, type LedgerCheck } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';
import { LOGGER } from '../tokens.js';
import { LedgerReader, totalOf } from './ledger.reader.js';
import { SettledLedgers } from './settled-ledgers.js';

/** Younger facts may belong to a flush that is still in progress. */
const SETTLE_MS = 60_000;
/** A check reads the whole store with one thread. The pause limits its cost to a hundredth of a core, however large the store is. */
const PAUSE_PER_WORK = 100;
const EFFORT = { threads: 1 };
/** Projects that the result names. */
const BROKEN_MAX = 100;

/** Compares the ledger with the store while facts arrive, for the gauges on `/metrics`, and moves settled counts. */
@Injectable()
export class LedgerCheckJob {
  constructor(
    private readonly reader: LedgerReader,
    private readonly ledger: Ledger,
    private readonly store: Store,
    private readonly settled: SettledLedgers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const check = await this.checkWhenDue();
    if (check === undefined) return;
    // After the check and never beside it: while a count is moved, it is in both places.
    await this.settled.move();
    const { unbalancedFacts, missingFacts, staleCalls, callsWithOtherUsage } = check;
    if (unbalancedFacts + missingFacts + staleCalls + callsWithOtherUsage === 0) return;
    this.logger.error('The ledger does not balance; see docs/operations/ledger.md.', {
      unbalancedFacts,
      missingFacts,
      staleCalls,
      callsWithOtherUsage,
    });
  }

  /** Resolves to the result, or to undefined while the pause after the last check lasts. */
  async checkWhenDue(now = nowMillis()): Promise<LedgerCheck | undefined> {
    const last = await this.ledger.lastCheck();
    if (last !== undefined && isPausing(last, now)) return undefined;
    const began = performance.now();
    let check = last ?? NOTHING_FOUND;
    try {
      const compared = await this.compare(millis((await this.store.now()) - SETTLE_MS));
      check = { ...check, ...compared, checkedAt: now };
    } finally {
      // A failed check cost as much and may fail again, so the pause follows it as well.
      check = { ...check, beganAt: now, tookMs: Math.ceil(performance.now() - began) };
      await this.ledger.saveCheck(check);
    }
    return check;
  }

  /**
   * A fact is received, then gets its receipt, then is settled, all while the check runs. So the number of receipts is at
   * least the number settled before the check and at most the number received after it.
   */
  private async compare(storedBefore: Millis) {
    const lines = await this.reader.read({ storedBefore }, EFFORT);
    const after = await this.ledger.balances();
    const found = lines.map(({ project, settled, moved, receipts, ...line }): BrokenLedger => {
      const received = moved + (after.get(project)?.received ?? 0);
      const unbalancedFacts = Math.max(0, settled - receipts) + Math.max(0, receipts - received);
      const { missingFacts, staleCalls, callsWithOtherUsage } = line;
      return { project, unbalancedFacts, missingFacts, staleCalls, callsWithOtherUsage };
    });
    const { missingFacts, staleCalls, callsWithOtherUsage } = totalOf(lines);
    const unbalancedFacts = found.reduce((sum, one) => sum + one.unbalancedFacts, 0);
    const broken = found.filter(isBroken).slice(0, BROKEN_MAX);
    return { unbalancedFacts, missingFacts, staleCalls, callsWithOtherUsage, broken };
  }
}

const isBroken = (found: BrokenLedger) =>
  found.unbalancedFacts + found.missingFacts + found.staleCalls + found.callsWithOtherUsage > 0;

const NOTHING_FOUND: LedgerCheck = {
  unbalancedFacts: 0,
  missingFacts: 0,
  staleCalls: 0,
  callsWithOtherUsage: 0,
  checkedAt: millis(0),
  beganAt: millis(0),
  tookMs: 0,
};

/** A check that began in the future was recorded by a worker with a wrong clock; no pause follows it. */
function isPausing({ beganAt, tookMs }: LedgerCheck, now: Millis): boolean {
  return beganAt <= now && now < beganAt + tookMs * PAUSE_PER_WORK;
}
