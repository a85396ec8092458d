import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { startRedis, type EmbeddedRedis } from '@app/embedded';
import { durabilityCheck, requireDurable } from '@app/redis';
import { eventually } from '../support/processes.js';
import { listeningLogger, newDirectory } from './embedded/engine.js';

let directory: string;
let server: EmbeddedRedis;
let redis: Redis;

const STRICT = { allowNonDurable: false };
const CAREFREE = { allowNonDurable: true };

beforeAll(async () => {
  directory = await newDirectory();
  server = await startRedis({ directory, logger: listeningLogger() });
  redis = new Redis(server.url);
}, 30_000);
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(directory, { recursive: true });
});
afterEach(async () => {
  await redis.config('SET', 'appendfsync', 'always');
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
});

/** What the readiness and the log of a process say that has just connected. */
async function seen(connection: Redis, strictness: typeof STRICT) {
  // A connection that is ready asks for the log first, so that all is said when readiness is known.
  if (connection.status !== 'ready') await once(connection, 'ready');
  const logger = listeningLogger();
  const said: string[] = [];
  const log = { ...logger, error: (text: string) => void said.push(`error: ${text}`) };
  const check = durabilityCheck(connection, strictness, {
    ...log,
    warn: (text: string) => void said.push(`warn: ${text}`),
  });
  return { problem: await check.problem(), said };
}

describe('a process that acknowledges facts', () => {
  it('is content with a Redis that fsyncs and evicts nothing', async () => {
    expect(await seen(redis, STRICT)).toEqual({ problem: undefined, said: [] });
    await requireDurable(redis, STRICT);
  });

  it('is not ready, and does not start, with one that could forget', async () => {
    await redis.config('SET', 'appendfsync', 'everysec');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const weak =
      'appendfsync is everysec instead of always, maxmemory-policy is allkeys-lru instead of noeviction';

    expect(await seen(redis, STRICT)).toEqual({
      problem: `Redis could forget what it has acknowledged (${weak})`,
      said: ['error: Redis could forget what it has acknowledged.'],
    });
    await expect(requireDurable(redis, STRICT)).rejects.toMatchObject({
      code: 'startup_failed',
      message: expect.stringMatching(/ALLOW_NON_DURABLE_REDIS=yes/) as string,
    });
  });

  it('takes the risk when it is told to, and says so', async () => {
    await redis.config('SET', 'appendfsync', 'no');

    expect(await seen(redis, CAREFREE)).toEqual({
      problem: undefined,
      said: ['warn: Redis could forget what it has acknowledged.'],
    });
    await requireDurable(redis, CAREFREE);
  });

  it('serves with one that does not tell how it is set, and says that it is not known', async () => {
    await redis.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '~*', '+@all', '-config');
    const { port } = new URL(server.url);
    const guest = new Redis(`redis://guest:secret@127.0.0.1:${port}`);
    try {
      expect(await seen(guest, STRICT)).toEqual({
        problem: undefined,
        said: [expect.stringMatching(/^warn: Redis does not tell how it is set/)],
      });
      await requireDurable(guest, STRICT);
    } finally {
      guest.disconnect();
    }
  });

  it('looks again with every new connection', async () => {
    const again = new Redis(server.url);
    const logger = listeningLogger();
    durabilityCheck(again, CAREFREE, logger);
    await again.ping();
    expect(logger.warnings).toEqual([]);

    await redis.config('SET', 'appendfsync', 'everysec');
    again.disconnect(true);
    await eventually(() => logger.warnings.length === 1, 10_000);
    again.disconnect();
  });
});
