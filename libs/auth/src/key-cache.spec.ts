import { API_KEYS, type Redis } from '@app/redis';
import { millis } from '@app/wire';
import { hashOf, keyIdOf } from './api-key.js';
import { admin } from './grant.js';
import { ApiKeyStore } from './api-key-store.js';
import { KeyCache } from './key-cache.js';

/** A Redis that holds keys, counts questions and can go away. */
class FakeRedis {
  status = 'ready';
  asked = 0;
  readonly hash = new Map<string, string>();
  readonly uses = new Map<string, unknown>();

  async hget(_key: string, field: string): Promise<string | null> {
    this.asked++;
    if (this.status !== 'ready') throw new Error("Stream isn't writeable");
    return this.hash.get(field) ?? null;
  }

  async hset(key: string, field: string, value: string): Promise<number> {
    if (key === API_KEYS) this.hash.set(field, value);
    else this.uses.set(field, value);
    return 1;
  }

  async hlen(): Promise<number> {
    return this.hash.size;
  }
}

const bookOver = (redis: FakeRedis) => new ApiKeyStore(redis as unknown as Redis);
const bob = { user: 'bob', scope: 'acme', role: 'write', createdBy: 'ann' } as const;
const asBob = { user: 'bob', scope: 'acme', role: 'write', keyId: keyIdOf(hashOf('k1')) };

const ringOver = (redis: FakeRedis, apiKey = '') =>
  new KeyCache(redis as unknown as Redis, { apiKey, user: 'ann' });

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
    expect(await bookOver(redis).isEmpty()).toBe(true);

    await bookOver(redis).create(bob, 'k1');

    expect(await bookOver(redis).isEmpty()).toBe(false);
    expect(await ring.find('k1')).toEqual(asBob);
    expect(await ring.find('k2')).toBeUndefined();
    expect([...redis.hash.keys()]).toEqual([hashOf('k1')]);
    expect([...redis.hash.values()].join()).not.toContain('k1');
  });

  it('asks once in five seconds, for known and unknown keys alike', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    await bookOver(redis).create(bob, 'k1');

    for (const now of [0, 1000, 4999]) {
      expect(await ring.find('k1', millis(now))).toEqual(asBob);
      expect(await ring.find('k2', millis(now))).toBeUndefined();
    }
    expect(redis.asked).toBe(2);

    redis.hash.clear();
    expect(await ring.find('k1', millis(5000))).toBeUndefined();
  });

  it('goes on with what it remembers while Redis is away', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    await bookOver(redis).create(bob, 'k1');
    await ring.find('k1', millis(0));

    redis.status = 'reconnecting';

    expect(await ring.find('k1', millis(3_600_000))).toEqual(asBob);
  });

  it('neither accepts nor refuses a key it cannot look up', async () => {
    const redis = new FakeRedis();
    redis.status = 'reconnecting';

    await expect(ringOver(redis).find('k1')).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
  });

  it('remembers no more than a bounded number of keys', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    for (let i = 0; i <= 10_000; i++) await ring.find(`guess ${i}`, millis(0));
    const asked = redis.asked;

    await ring.find('guess 0', millis(0));

    expect(redis.asked).toBe(asked + 1);
  });

  it('knows a key until the moment it ends, and not after', async () => {
    const redis = new FakeRedis();
    await bookOver(redis).create({ ...bob, endsAt: millis(10_000) }, 'k1');

    expect(await ringOver(redis).find('k1', millis(9_999))).toEqual(asBob);
    expect(await ringOver(redis).find('k1', millis(10_000))).toBeUndefined();
  });

  it('notes when a key was used, at most once a minute', async () => {
    const redis = new FakeRedis();
    const ring = ringOver(redis);
    await bookOver(redis).create(bob, 'k1');

    for (const now of [100_000, 110_000, 120_000]) await ring.find('k1', millis(now));
    expect([...redis.uses]).toEqual([[asBob.keyId, 100_000]]);
    await ring.find('k1', millis(160_000));
    expect([...redis.uses]).toEqual([[asBob.keyId, 160_000]]);
  });
});
