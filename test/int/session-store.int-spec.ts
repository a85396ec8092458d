import { SessionStore } from '@app/auth';
import { createLogger } from '@app/observability';
import { connectRedis, KEY_PREFIX, type Redis } from '@app/redis';
import { millis, nowMillis } from '@app/wire';
import { theRedis } from '../support/queue.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEY_HASH = 'ab'.repeat(32);
const OWNER = { keyHash: KEY_HASH };

let redis: Redis;
beforeAll(async () => {
  redis = connectRedis({ url: theRedis(7) }, 'consumer', createLogger('test', 'error'));
  await redis.flushdb();
});
afterEach(() => redis.flushdb());
afterAll(() => redis.disconnect());

const ago = (ms: number) => millis(nowMillis() - ms);
const idleMs = async () => redis.pttl((await redis.keys(`${KEY_PREFIX}:session:*`))[0]!);

describe('the sessions in Redis', () => {
  it('have the hash of their key and of their secret, and end when they are idle for 12 hours', async () => {
    const now = nowMillis();
    const secret = await new SessionStore(redis).create(OWNER, now);

    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await new SessionStore(redis).find(secret)).toEqual({
      keyHash: KEY_HASH,
      createdAt: now,
    });
    expect(await new SessionStore(redis).find(`${secret}x`)).toBeUndefined();
    expect((await redis.keys('*')).join()).not.toContain(secret);
    expect(await idleMs()).toBeLessThanOrEqual(12 * HOUR);
    expect(await idleMs()).toBeGreaterThan(12 * HOUR - 10_000);
  });

  it('live longer with every use, but not beyond seven days', async () => {
    const store = new SessionStore(redis);
    const secret = await store.create(OWNER, ago(7 * DAY - HOUR));
    await redis.pexpire((await redis.keys(`${KEY_PREFIX}:session:*`))[0]!, 60_000);

    expect(await store.find(secret)).toBeDefined();

    expect(await idleMs()).toBeGreaterThan(HOUR - 10_000);
    expect(await idleMs()).toBeLessThanOrEqual(HOUR);
    expect(await store.find(secret, millis(nowMillis() + HOUR))).toBeUndefined();
  });

  it('are read once in five seconds, and end then when another process has ended them', async () => {
    const [mine, other] = [new SessionStore(redis), new SessionStore(redis)];
    const now = nowMillis();
    const secret = await mine.create(OWNER, now);
    await mine.find(secret, now);

    await other.end(secret);

    expect(await mine.find(secret, millis(now + 4999))).toBeDefined();
    expect(await mine.find(secret, millis(now + 5000))).toBeUndefined();
    expect(await redis.keys('*')).toEqual([]);
  });

  it('are at most a hundred of one key: one more ends the oldest', async () => {
    const store = new SessionStore(redis);
    const secrets: string[] = [];
    for (let i = 0; i < 101; i++) {
      secrets.push(await store.create(OWNER, ago(1000 - i)));
    }

    expect(await store.find(secrets[0]!)).toBeUndefined();
    expect(await store.find(secrets[1]!)).toBeDefined();
    expect(await store.find(secrets[100]!)).toBeDefined();
    expect(await redis.keys(`${KEY_PREFIX}:session:*`)).toHaveLength(100);
  });
});
