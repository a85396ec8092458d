import { Injectable } from '@nestjs/common';
import { Ledger, type LedgerCheck } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';
import { LedgerReader, totalOf } from './ledger.reader.js';

/** What came later may be of a flush that is still under way. */
const SETTLE_MS = 60_000;
/** The whole store is read, by one thread; so that it costs a hundredth of a core at the most, however large that is. */
const PAUSE_PER_WORK = 100;
const EFFORT = { threads: 1 };

/** Compares queue and store now and then, while facts come in, for those who watch the gauges. */
@Injectable()
export class LedgerCheckJob {
  constructor(
    private readonly reader: LedgerReader,
    private readonly ledger: Ledger,
  ) {}

  /** Resolves to what was found, or to nothing when the last look was not long enough ago. */
  async checkWhenDue(now = nowMillis()): Promise<LedgerCheck | undefined> {
    const last = await this.ledger.lastCheck();
    if (last !== undefined && isPausing(last, now)) return undefined;
    const began = performance.now();
    let check = last ?? NOTHING_FOUND;
    try {
      check = { ...check, ...(await this.compare(millis(now - SETTLE_MS))), checkedAt: now };
    } finally {
      // One that failed has cost as much, and would fail again: it is paused after as well.
      check = { ...check, beganAt: now, tookMs: Math.ceil(performance.now() - began) };
      await this.ledger.keepCheck(check);
    }
    return check;
  }

  /**
   * A fact is received, then receipted, then settled, and all goes on while we look. So there have to be at least as many
   * receipts as were settled before, and at most as many as were received afterwards.
   */
  private async compare(storedBefore: Millis) {
    const lines = await this.reader.read({ storedBefore }, EFFORT);
    const after = await this.ledger.balances();
    let unbalancedFacts = 0;
    for (const { project, settled, receipts } of lines) {
      const received = after.get(project)?.received ?? 0;
      unbalancedFacts += Math.max(0, settled - receipts) + Math.max(0, receipts - received);
    }
    const { missingFacts, staleCalls } = totalOf(lines);
    return { unbalancedFacts, missingFacts, staleCalls };
  }
}

const NOTHING_FOUND: LedgerCheck = {
  unbalancedFacts: 0,
  missingFacts: 0,
  staleCalls: 0,
  checkedAt: millis(0),
  beganAt: millis(0),
  tookMs: 0,
};

/** Not after one that began in the future: whoever noted that had a clock that was wrong. */
function isPausing({ beganAt, tookMs }: LedgerCheck, now: Millis): boolean {
  return beganAt <= now && now < beganAt + tookMs * PAUSE_PER_WORK;
}
