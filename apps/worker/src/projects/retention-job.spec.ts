import { jest } from '@jest/globals';
import { createLogger } from '@app/observability';
import { AuditTrail, Ledger, type AuditEntry } from '@app/queue';
import type { Redis } from '@app/redis';
import { Expiry } from './expiry.js';
import { RetentionJob } from './retention-job.js';

const HOUR_MS = 3_600_000;

/** As much of Redis as a lock and a watermark need; other workers share it. */
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

/** A worker whose expiry only tells when it was run, and how often it fails first. */
function aWorker(redis: Redis, { failures = 0 } = {}) {
  const runs: string[] = [];
  const acts: AuditEntry[] = [];
  const run = async (now = 0) => {
    runs.push(new Date(now).toISOString().slice(0, 13));
    if (runs.length <= failures) throw new Error('ClickHouse is away');
    return 3;
  };
  const expiry = Object.assign(Object.create(Expiry.prototype) as Expiry, { run });
  const record = async (entry: AuditEntry) => void acts.push(entry);
  const audit = Object.assign(Object.create(AuditTrail.prototype) as AuditTrail, { record });
  const logger = createLogger('test', 'error', { write: () => undefined });
  const nightly = new RetentionJob(expiry, new Ledger(redis), redis, audit, logger);
  nightly.onApplicationBootstrap();
  return { nightly, runs, acts };
}

describe('what happens every night', () => {
  beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-03-01T22:05:00Z') }));
  afterEach(() => void jest.useRealTimers());

  const passed = (hours: number) => jest.advanceTimersByTimeAsync(hours * HOUR_MS);

  it('happens once, after two, and is written down', async () => {
    const { nightly, runs, acts } = aWorker(aRedis());
    await passed(3.9);
    // The first day is not over when the worker starts: its night is made up for.
    expect(runs).toEqual(['2026-03-01T22']);
    await passed(48);
    expect(runs).toEqual(['2026-03-01T22', '2026-03-02T02', '2026-03-03T02']);
    expect(acts[2]).toEqual({
      userId: 'nightly',
      action: 'expire',
      projectId: '',
      detail: { calls: 3 },
    });
    nightly.onModuleDestroy();
    await passed(48);
    expect(runs).toHaveLength(3);
  });

  it('is the work of one of many workers', async () => {
    const redis = aRedis();
    const workers = [aWorker(redis), aWorker(redis), aWorker(redis)];
    await passed(27);
    expect(workers.flatMap(({ runs }) => runs)).toEqual(['2026-03-01T22', '2026-03-02T02']);
    for (const { nightly } of workers) nightly.onModuleDestroy();
  });

  it('is tried again when the store was away', async () => {
    const { nightly, runs } = aWorker(aRedis(), { failures: 2 });
    await passed(1);
    expect(runs).toHaveLength(3);
    nightly.onModuleDestroy();
  });
});
