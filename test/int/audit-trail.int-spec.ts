import { auditChain, bind, ChainCheck, sql, type AuditLogRow, type Store } from '@app/clickhouse';
import { AuditTrail, FactClock, KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { AuditJob } from '../../apps/worker/src/audit/audit-job.js';
import { theRedis } from '../support/queue.js';
import { openOwnStore } from '../support/store.js';
import { WRITABLE } from '../support/worker.js';

let store: Store;
let redis: Redis;
beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(6));
});
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

describe('the audit log', () => {
  const trail = () => new AuditTrail(redis, WRITABLE);
  const record = (projectId: string) =>
    trail().record({ userId: 'ann', action: 'calls.delete', projectId, detail: {} });
  const stored = async (userId: string) => {
    const rows = await store.rows<{ project_id: string }>(
      sql`SELECT DISTINCT project_id FROM audit WHERE user_id = ${bind('String', userId)} ORDER BY project_id`,
    );
    return rows.map(({ project_id }) => project_id);
  };

  it('loses no entry when two workers move the same entries', async () => {
    await record('a/1');
    await record('a/2');
    // A job that stalled runs a second time: it has read the same entries and removes them after the first run.
    const slow = trail();
    const { entries } = await slow.oldest(1000);
    const head = { seq: 9, hash: 'stale' };
    await new AuditJob(trail(), store).run();
    await record('a/3');
    await record('a/4');
    await slow.remove(entries, head);

    await new AuditJob(trail(), store).run();

    expect(await stored('ann')).toEqual(['a/1', 'a/2', 'a/3', 'a/4']);
    expect(await redis.llen(KEYS.audit)).toBe(0);
  });

  const chain = async () =>
    (await store.rows<AuditLogRow>(auditChain(1, 1000))).map((row) => ({
      ...row,
      at: Number(row.at),
      seq: Number(row.seq),
    }));

  it('is one chain, also after a second run of a job and after Redis has lost its data', async () => {
    await record('b/1');
    const slow = new AuditJob(trail(), store);
    const interrupted = { ...trail(), oldest: () => trail().oldest(1000), remove: async () => {} };
    await new AuditJob(interrupted as unknown as AuditTrail, store).run();
    await record('b/2');
    await Promise.all([slow.run(), new AuditJob(trail(), store).run()]);
    await redis.del(KEYS.auditHead);
    await record('b/3');
    await Promise.all([slow.run(), new AuditJob(trail(), store).run()]);

    const check = new ChainCheck();
    const rows = await chain();
    expect(check.add(rows)).toEqual([]);
    expect(rows.map(({ project_id }) => project_id).slice(-3)).toEqual(['b/1', 'b/2', 'b/3']);
    expect(check.end((await trail().head())!)).toEqual([]);
  });
});

describe('the clock of facts', () => {
  it('is later every time, over all processes', async () => {
    const [one, other] = [new FactClock(redis), new FactClock(redis)];
    const times = [];
    for (let i = 0; i < 50; i++) times.push(await one.next(), await other.next());

    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(Math.abs(times[0]! / 1000 - Date.now())).toBeLessThan(60_000);
  });

  it('is later than before when Redis fails over to a server whose clock is behind', async () => {
    const ahead = (Date.now() + 3_600_000) * 1000;
    await redis.set(KEYS.factClock, String(ahead));

    expect(await new FactClock(redis).next()).toBe(ahead + 1);
    await redis.del(KEYS.factClock);
  });
});
