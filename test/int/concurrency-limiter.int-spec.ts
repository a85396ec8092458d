import { Redis } from 'ioredis';
import { ConcurrencyLimiter, RateLimitedError } from '@app/redis';
import { RedisServer } from '../support/redis-server.js';

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url);
  await redis.ping();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const slot = (who: string, max: number) => ({ of: 'key', who, max });

/** What a restart of Redis would read again. */
async function bytesOfFile(): Promise<number> {
  const info = await redis.info('persistence');
  return Number(/aof_current_size:(\d+)/.exec(info)?.[1]);
}

describe('concurrent reads of a key', () => {
  it('share their slots over all processes, and free them', async () => {
    const [first, second] = [new ConcurrencyLimiter(redis), new ConcurrencyLimiter(redis)];
    const release = await first.acquire([slot('shared', 2)]);
    await second.acquire([slot('shared', 2)]);

    await expect(second.acquire([slot('shared', 2)])).rejects.toThrow(RateLimitedError);
    release();

    await second.acquire([slot('shared', 2)]);
  });

  it('never wait for the disk of Redis', async () => {
    const limiter = new ConcurrencyLimiter(redis);
    await redis.set('written', 'once');
    const before = await bytesOfFile();

    const release = await limiter.acquire([slot('quick', 2)]);
    release();
    await redis.ping();

    expect(before).toBeGreaterThan(0);
    expect(await bytesOfFile()).toBe(before);
  });

  it('have the slots of one process while Redis is read-only, as a replica is during a fail-over', async () => {
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    try {
      const limiter = new ConcurrencyLimiter(redis);
      const acquire = () => limiter.acquire([slot('other', 9), slot('replica', 2)]);
      const [release] = await Promise.all([acquire(), acquire()]);
      await expect(acquire()).rejects.toThrow(RateLimitedError);

      release();
      release();
      const again = await acquire();
      await expect(acquire()).rejects.toThrow(RateLimitedError);
      again();
    } finally {
      await redis.call('REPLICAOF', 'NO', 'ONE');
    }
  });
});
