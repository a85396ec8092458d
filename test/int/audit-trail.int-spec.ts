import { bind, sql, type Store } from '@app/clickhouse';
import { AuditTrail, FactClock, KEYS } from '@app/queue';
import { Redis, type WriteGuard } from '@app/redis';
import { AuditJob } from '../../apps/worker/src/audit/audit-job.js';
import { theRedis } from '../support/queue.js';
import { openOwnStore } from '../support/store.js';

let store: Store;
let redis: Redis;
beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(6));
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

const guard = {
  requireWritable: () => Promise.resolve(),
  confirmed: <T>(write: Promise<T>) => write,
} as unknown as WriteGuard;

describe('the audit log', () => {
  const trail = () => new AuditTrail(redis, guard);
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
    const read = await slow.oldest(1000);
    await new AuditJob(trail(), store).run();
    await record('a/3');
    await record('a/4');
    await slow.remove(read);

    await new AuditJob(trail(), store).run();

    expect(await stored('ann')).toEqual(['a/1', 'a/2', 'a/3', 'a/4']);
    expect(await redis.llen(KEYS.audit)).toBe(0);
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
