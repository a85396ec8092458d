import { jest } from '@jest/globals';
import { createLogger } from '@app/observability';
import type { Redis } from '@app/redis';
import { millis } from '@app/wire';
import { Reconciler } from '../pipeline/reconciler.js';
import { CallSweeper } from './call-sweeper.js';
import { LedgerCheckJob } from './ledger-check-job.js';
import { RepairJob } from './repair-job.js';

/** A part of which a test needs one method. */
const only = <T extends object>(type: { prototype: T }, methods: Partial<T>): T =>
  Object.assign(Object.create(type.prototype) as T, methods);

describe('what happens every minute', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('tidies Redis and checks the ledger also when calls cannot be swept', async () => {
    const done: string[] = [];
    const said: string[] = [];
    const redis = { set: async () => 'OK', eval: async () => 1 } as unknown as Redis;
    const sweeping = new RepairJob(
      only(CallSweeper, { sweep: () => Promise.reject(new Error('poison')) }),
      only(Reconciler, { sweepOrphans: async () => done.push('orphans') }),
      only(LedgerCheckJob, {
        checkWhenDue: async () => {
          done.push('ledger');
          return {
            unbalancedFacts: 0,
            missingFacts: 1,
            staleCalls: 0,
            checkedAt: millis(0),
            beganAt: millis(0),
            tookMs: 1,
          };
        },
      }),
      redis,
      createLogger('test', 'warn', { write: (line: string) => void said.push(line) }),
    );
    sweeping.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(60_000);
    sweeping.onModuleDestroy();

    expect(done).toEqual(['orphans', 'ledger']);
    expect(said.join('')).toMatch(/poison[^]*Payloads[^]*does not balance[^]*ledger\.md/);
  });
});
