import { jest } from '@jest/globals';
import { createLogger } from '@app/observability';
import { AuditTrail, Ledger, type AuditEntry } from '@app/queue';
import type { Redis } from '@app/redis';
import { MaintenanceProcessor } from '../maintenance/maintenance.processor.js';
import { Expiry } from './expiry.js';
import { RetentionJob } from './retention-job.js';

const HOUR_MS = 3_600_000;
const EVERY_MS = 600_000;

/** The commands that a lock and a watermark need; workers share it. */
function aRedis() {
  const values = new Map<string, string>();
  const redis = {
    set: async (key: string, value: string) => {
      if (values.has(key)) return null;
      values.set(key, value);
      return 'OK';
    },
    eval: async (_script: string, _keys: number, key: string) => Number(values.delete(key)),
    hget: async (_key: string, field: string) => values.get(field) ?? null,
    hset: async (_key: string, field: string, value: string) => void values.set(field, value),
  };
  return redis as unknown as Redis;
}

/** A worker that runs the job every ten minutes. Its expiry records when it ran, and fails the given number of times first. */
function aWorker(redis: Redis, { failures = 0 } = {}) {
  const runs: string[] = [];
  const acts: AuditEntry[] = [];
  const run = async (now = 0) => {
    runs.push(new Date(now).toISOString().slice(0, 13));
    if (runs.length <= failures) throw new Error('ClickHouse is unavailable');
    return { calls: 3, feedback: 1 };
  };
  const expiry = Object.assign(Object.create(Expiry.prototype) as Expiry, { run });
  const record = async (entry: AuditEntry) => void acts.push(entry);
  const audit = Object.assign(Object.create(AuditTrail.prototype) as AuditTrail, { record });
  const logger = createLogger('test', 'error', { write: () => undefined });
  const job = new RetentionJob(expiry, new Ledger(redis), audit, logger);
  const scheduled = { name: 'expire', everyMs: EVERY_MS, run: () => job.run() };
  const processor = new MaintenanceProcessor([scheduled], redis, logger);
  const ignoreFailure = () => undefined;
  const period = () => void processor.process({ name: 'expire' }).catch(ignoreFailure);
  const timer = setInterval(period, EVERY_MS);
  return { runs, acts, stop: () => clearInterval(timer) };
}

describe('the retention job', () => {
  beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-03-01T22:05:00Z') }));
  afterEach(() => void jest.useRealTimers());

  const passed = (hours: number) => jest.advanceTimersByTimeAsync(hours * HOUR_MS);

  it('runs once a night, after two, and is audited', async () => {
    const { runs, acts, stop } = aWorker(aRedis());
    await passed(3.9);
    // The worker starts after two on the first day and makes up for that night.
    expect(runs).toEqual(['2026-03-01T22']);
    await passed(48);
    expect(runs).toEqual(['2026-03-01T22', '2026-03-02T02', '2026-03-03T02']);
    expect(acts[2]).toEqual({
      userId: 'retention',
      keyId: 'job',
      address: expect.stringMatching(/./),
      requestId: expect.stringMatching(/./),
      action: 'expire',
      projectId: '',
      detail: { calls: 3, feedback: 1 },
    });
    stop();
  });

  it('runs in one of many workers', async () => {
    const redis = aRedis();
    const workers = [aWorker(redis), aWorker(redis), aWorker(redis)];
    await passed(27);
    expect(workers.flatMap(({ runs }) => runs)).toEqual(['2026-03-01T22', '2026-03-02T02']);
    for (const { stop } of workers) stop();
  });

  it('runs again ten minutes later when ClickHouse was unavailable', async () => {
    const { runs, stop } = aWorker(aRedis(), { failures: 2 });
    await passed(1);
    expect(runs).toHaveLength(3);
    stop();
  });
});
