import { jest } from '@jest/globals';
import { CallChanges } from '@app/queue';
import { Redis } from '@app/redis';
import { theRedis } from '../support/queue.js';
import { aProject } from '../support/test-server.js';

let redis: Redis;
beforeAll(() => void (redis = new Redis(theRedis(6))));
afterAll(() => redis.disconnect());

const HOUR_MS = 3_600_000;

describe('the changes of a tailed project', () => {
  it.each([
    ['ahead of', HOUR_MS],
    ['behind', -HOUR_MS],
  ])('are recorded by a worker whose clock is %s the clock of Redis', async (_, differenceMs) => {
    const changes = new CallChanges(redis);
    const [tailed, other] = [aProject(), aProject()];
    const cursor = await changes.watch(tailed);
    const now = Date.now() + differenceMs;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);

    await changes.record([
      { project_id: tailed, id: 'a', is_deleted: 0 },
      { project_id: other, id: 'b', is_deleted: 0 },
    ]);
    clock.mockRestore();

    const { calls, hasGap } = await changes.after(tailed, cursor, '+', 10);
    expect({ calls, hasGap }).toEqual({ calls: [{ id: 'a', isDeleted: false }], hasGap: false });
    expect((await changes.after(other, cursor, '+', 10)).calls).toEqual([]);
  });
});
