import { Store } from '@app/clickhouse';
import { createLogger } from '@app/observability';
import { CallsQueue, IdleRecords, Ledger, RecordsQueue } from '@app/queue';
import type { Redis } from '@app/redis';
import { millis } from '@app/wire';
import type { MaintenanceJob } from '../maintenance/maintenance-jobs.js';
import { MaintenanceProcessor } from '../maintenance/maintenance.processor.js';
import { CallSweeper } from './call-sweeper.js';
import { LedgerCheckJob } from './ledger-check-job.js';
import { LedgerReader } from './ledger.reader.js';
import { OrphanJob } from './orphan-job.js';
import { SettledLedgers } from './settled-ledgers.js';
import { RepairJob } from './repair-job.js';

/** An instance of which a test needs one method. */
const only = <T extends object>(type: { prototype: T }, methods: Partial<T>): T =>
  Object.assign(Object.create(type.prototype) as T, methods);

const CHECK = { unbalancedFacts: 0, missingFacts: 1, staleCalls: 0, callsWithOtherUsage: 0 };

describe('the repairs of every minute', () => {
  it('tidy Redis and check the ledger also when calls cannot be swept', async () => {
    const done: string[] = [];
    const logged: string[] = [];
    const redis = {
      set: async () => 'OK',
      eval: async () => 1,
      unlink: async () => 0,
    } as unknown as Redis;
    const logger = createLogger('test', 'warn', { write: (line) => void logged.push(line) });
    const sweeper = only(CallSweeper, { sweep: () => Promise.reject(new Error('poison')) });
    const calls = only(CallsQueue, { sweepOrphans: async () => done.push('orphans') });
    const records = only(RecordsQueue, { sweepOrphans: async () => 0 });
    const idle = only(IdleRecords, { forget: async () => 0 });
    const checkLedger = new LedgerCheckJob(
      only(LedgerReader, {}),
      only(Ledger, {}),
      only(Store, {}),
      only(SettledLedgers, { move: async () => 0 }),
      logger,
    );
    checkLedger.checkWhenDue = async () => {
      done.push('ledger');
      return { ...CHECK, checkedAt: millis(0), beganAt: millis(0), tookMs: 1 };
    };
    const scheduled = (name: string, job: MaintenanceJob) => ({
      name,
      everyMs: 60_000,
      run: (signal: AbortSignal) => job.run(signal),
    });
    const processor = new MaintenanceProcessor(
      [
        scheduled('sweep', new RepairJob(sweeper, logger)),
        scheduled('sweep-orphans', new OrphanJob(calls, records, idle, redis, logger)),
        scheduled('check-ledger', checkLedger),
      ],
      redis,
      logger,
    );

    await expect(processor.process({ name: 'sweep' })).rejects.toThrow('poison');
    await processor.process({ name: 'sweep-orphans' });
    await processor.process({ name: 'check-ledger' });

    expect(done).toEqual(['orphans', 'ledger']);
    expect(logged.join('')).toMatch(/poison[^]*Payloads[^]*does not balance[^]*ledger\.md/);
  });
});
