import type { Store } from '@app/clickhouse';
import { createLogger } from '@app/observability';
import type { Ledger, LedgerCheck } from '@app/queue';
import { millis } from '@app/wire';
import { LedgerCheckJob } from './ledger-check-job.js';
import type { LedgerReader } from './ledger.reader.js';
import type { SettledLedgers } from './settled-ledgers.js';

const NOON = millis(Date.UTC(2026, 2, 1, 12));
const FOUND = { unbalancedFacts: 1, missingFacts: 2, staleCalls: 3, callsWithOtherUsage: 4 };

/** A ledger that stores one check, and a reader that fails or finds no error. */
function setUp(saved?: LedgerCheck) {
  const state = { saved, fails: false, reads: 0 };
  const ledger = {
    lastCheck: () => Promise.resolve(state.saved),
    saveCheck: (check: LedgerCheck) => Promise.resolve(void (state.saved = check)),
    balances: () => Promise.resolve(new Map()),
  };
  const reader = {
    read: () => {
      state.reads += 1;
      return state.fails ? Promise.reject(new Error('out of memory')) : Promise.resolve([]);
    },
  };
  const checking = new LedgerCheckJob(
    reader as unknown as LedgerReader,
    ledger as unknown as Ledger,
    { now: async () => NOON } as unknown as Store,
    { move: async () => 0 } as unknown as SettledLedgers,
    createLogger('test', 'error'),
  );
  return { state, checking };
}

describe('a check of the ledger', () => {
  it('that fails is followed by the same pause, and the result before it stays', async () => {
    const before = {
      ...FOUND,
      checkedAt: millis(NOON - 1000),
      beganAt: millis(NOON - 1000),
      tookMs: 10,
    };
    const { state, checking } = setUp(before);
    state.fails = true;

    await expect(checking.checkWhenDue(NOON)).rejects.toThrow('out of memory');

    expect(state.saved).toMatchObject({ ...FOUND, checkedAt: NOON - 1000, beganAt: NOON });
    const pause = 100 * state.saved!.tookMs;
    expect(pause).toBeGreaterThan(0);
    state.fails = false;
    expect(await checking.checkWhenDue(millis(NOON + pause - 1))).toBeUndefined();
    expect(state.reads).toBe(1);
    expect(await checking.checkWhenDue(millis(NOON + pause))).toMatchObject({
      checkedAt: NOON + pause,
    });
  });

  it('that fails the first time leaves an empty result without a time', async () => {
    const { state, checking } = setUp();
    state.fails = true;
    await expect(checking.checkWhenDue(NOON)).rejects.toThrow('out of memory');
    expect(state.saved).toMatchObject({ checkedAt: 0, beganAt: NOON, missingFacts: 0 });
  });

  it('that began in the future is followed by no pause', async () => {
    const later = { ...FOUND, checkedAt: millis(NOON + 1), beganAt: millis(NOON + 1), tookMs: 10 };
    const { checking } = setUp(later);
    expect(await checking.checkWhenDue(NOON)).toMatchObject({ checkedAt: NOON, missingFacts: 0 });
  });
});
