import { API_KEYS, type Redis } from '@app/redis';
import { millis } from '@app/wire';
import { hashOf, keyIdOf } from './api-key.js';
import { admin } from './project-access.js';
import { ApiKeyStore } from './api-key-store.js';
import { KeyCache } from './key-cache.js';

/** A Redis with keys that counts lookups and can become unavailable. */
class FakeRedis {
  status = 'ready';
  lookups = 0;
  readonly hash = new Map<string, string>();
  readonly uses = new Map<string, unknown>();

  async hget(_key: string, field: string): Promise<string | null> {
    this.lookups++;
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

const storeWith = (redis: FakeRedis) => new ApiKeyStore(redis as unknown as Redis);
const bob = { user: 'bob', scope: 'acme', role: 'write', createdBy: 'ann' } as const;
const asBob = { user: 'bob', scope: 'acme', role: 'write', keyId: keyIdOf(hashOf('k1')) };

const cacheWith = (redis: FakeRedis, apiKey = '') =>
  new KeyCache(redis as unknown as Redis, { apiKey, user: 'ann' });

describe('the key cache', () => {
  it('accepts HEDDLE_API_KEY without a lookup', async () => {
    const redis = new FakeRedis();
    redis.status = 'end';

    expect(await cacheWith(redis, 'secret').find('secret')).toEqual(admin('ann'));
    expect(redis.lookups).toBe(0);
  });

  it('refuses an empty key when HEDDLE_API_KEY is not set', async () => {
    expect(await cacheWith(new FakeRedis(), '').find('')).toBeUndefined();
  });

  it('finds the principal of a key, of which only the hash is stored', async () => {
    const redis = new FakeRedis();
    const cache = cacheWith(redis);
    expect(await storeWith(redis).isEmpty()).toBe(true);

    await storeWith(redis).create(bob, 'k1');

    expect(await storeWith(redis).isEmpty()).toBe(false);
    expect(await cache.find('k1')).toEqual(asBob);
    expect(await cache.find('k2')).toBeUndefined();
    expect([...redis.hash.keys()]).toEqual([hashOf('k1')]);
    expect([...redis.hash.values()].join()).not.toContain('k1');
  });

  it('looks up a key once in five seconds, known or unknown', async () => {
    const redis = new FakeRedis();
    const cache = cacheWith(redis);
    await storeWith(redis).create(bob, 'k1');

    for (const now of [0, 1000, 4999]) {
      expect(await cache.find('k1', millis(now))).toEqual(asBob);
      expect(await cache.find('k2', millis(now))).toBeUndefined();
    }
    expect(redis.lookups).toBe(2);

    redis.hash.clear();
    expect(await cache.find('k1', millis(5000))).toBeUndefined();
  });

  it('uses cached keys while Redis is unavailable', async () => {
    const redis = new FakeRedis();
    const cache = cacheWith(redis);
    await storeWith(redis).create(bob, 'k1');
    await cache.find('k1', millis(0));

    redis.status = 'reconnecting';

    expect(await cache.find('k1', millis(3_600_000))).toEqual(asBob);
  });

  it('neither accepts nor refuses a key it cannot look up', async () => {
    const redis = new FakeRedis();
    redis.status = 'reconnecting';

    await expect(cacheWith(redis).find('k1')).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
  });

  it('caches a limited number of keys', async () => {
    const redis = new FakeRedis();
    const cache = cacheWith(redis);
    for (let i = 0; i <= 10_000; i++) await cache.find(`unknown ${i}`, millis(0));
    const lookups = redis.lookups;

    await cache.find('unknown 0', millis(0));

    expect(redis.lookups).toBe(lookups + 1);
  });

  it('accepts a key until it ends, and not after', async () => {
    const redis = new FakeRedis();
    await storeWith(redis).create({ ...bob, endsAt: millis(10_000) }, 'k1');

    expect(await cacheWith(redis).find('k1', millis(9_999))).toEqual({ ...asBob, endsAt: 10_000 });
    expect(await cacheWith(redis).find('k1', millis(10_000))).toBeUndefined();
  });

  it('records the use of a key at most once a minute', async () => {
    const redis = new FakeRedis();
    const cache = cacheWith(redis);
    await storeWith(redis).create(bob, 'k1');

    for (const now of [100_000, 110_000, 120_000]) await cache.find('k1', millis(now));
    expect([...redis.uses]).toEqual([[asBob.keyId, 100_000]]);
    await cache.find('k1', millis(160_000));
    expect([...redis.uses]).toEqual([[asBob.keyId, 160_000]]);
  });
});
