import type { Redis } from '@app/queue';
import { hashOf } from './api-key.js';
import { admin, KeyRing } from './key-ring.js';

/** A Redis that holds keys, counts questions and can go away. */
class FakeRedis {
  status = 'ready';
  asked = 0;
  readonly hash = new Map<string, string>();

  async hget(_key: string, field: string): Promise<string | null> {
    this.asked++;
    if (this.status !== 'ready') throw new Error("Stream isn't writeable");
    return this.hash.get(field) ?? null;
  }

  async hset(_key: string, field: string, value: string): Promise<number> {
    this.hash.set(field, value);
    return 1;
  }

  async hlen(): Promise<number> {
    return this.hash.size;
  }
}

const ringOver = (redis: FakeRedis, apiKey = '') =>
  new KeyRing(redis as unknown as Redis, { apiKey, user: 'ann' });

describe('the key ring', () => {
  it('knows the key of the environment without any store', async () => {
    const redis = new FakeRedis();
    redis.status = 'end';

    expect(await ringOver(redis, 'secret').find('secret')).toEqual(admin('ann'));
    expect(redis.asked).toBe(0);
  });

  it('takes no empty key for the missing key of the environment', async () => {
    expect(await ringOver(new FakeRedis(), '').find('')).toBeUndefined();
  });

  it('finds whose key it is, and stores only its hash', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    expect(await ring.isEmpty()).toBe(true);

    await ring.add('k1', admin('bob'));

    expect(await ring.isEmpty()).toBe(false);
    expect(await ring.find('k1')).toEqual(admin('bob'));
    expect(await ring.find('k2')).toBeUndefined();
    expect([...redis.hash.keys()]).toEqual([hashOf('k1')]);
    expect([...redis.hash.values()].join()).not.toContain('k1');
  });

  it('asks once in five seconds, for known and unknown keys alike', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    await ring.add('k1', admin('bob'));

    for (const now of [0, 1000, 4999]) {
      expect(await ring.find('k1', now)).toEqual(admin('bob'));
      expect(await ring.find('k2', now)).toBeUndefined();
    }
    expect(redis.asked).toBe(2);

    redis.hash.clear();
    expect(await ring.find('k1', 5000)).toBeUndefined();
  });

  it('goes on with what it remembers while Redis is away', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    await ring.add('k1', admin('bob'));
    await ring.find('k1', 0);

    redis.status = 'reconnecting';

    expect(await ring.find('k1', 3_600_000)).toEqual(admin('bob'));
  });

  it('neither accepts nor refuses a key it cannot look up', async () => {
    const redis = new FakeRedis();
    redis.status = 'reconnecting';

    await expect(ringOver(redis).find('k1')).rejects.toMatchObject({ name: 'QueueAway' });
  });

  it('remembers no more than a bounded number of keys', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    for (let i = 0; i <= 10_000; i++) await ring.find(`guess ${i}`, 0);
    const asked = redis.asked;

    await ring.find('guess 0', 0);

    expect(redis.asked).toBe(asked + 1);
  });
});
