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
const PERMISSIVE = { allowNonDurable: true };

beforeAll(async () => {
  directory = await newDirectory();
  server = await startRedis({ directory, logger: listeningLogger() });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(directory, { recursive: true });
});
afterEach(async () => {
  await redis.config('SET', 'appendfsync', 'always');
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
});

/** The readiness and the log lines of a process that has just connected. */
async function checked(connection: Redis, strictness: typeof STRICT) {
  // The check of a ready connection writes its log lines before it reports readiness.
  if (connection.status !== 'ready') await once(connection, 'ready');
  const logger = listeningLogger();
  const lines: string[] = [];
  const log = { ...logger, error: (text: string) => void lines.push(`error: ${text}`) };
  const check = durabilityCheck(connection, strictness, {
    ...log,
    warn: (text: string) => void lines.push(`warn: ${text}`),
  });
  return { problem: await check.problem(), lines };
}

describe('a process that acknowledges facts', () => {
  it('is ready with a Redis that fsyncs every write and evicts nothing', async () => {
    expect(await checked(redis, STRICT)).toEqual({ problem: undefined, lines: [] });
    await requireDurable(redis, STRICT);
  });

  it('is not ready and does not start with a Redis that could lose acknowledged writes', async () => {
    await redis.config('SET', 'appendfsync', 'everysec');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const weak =
      'appendfsync is everysec instead of always, maxmemory-policy is allkeys-lru instead of noeviction';

    expect(await checked(redis, STRICT)).toEqual({
      problem: `Redis could lose acknowledged writes (${weak})`,
      lines: ['error: Redis could lose acknowledged writes.'],
    });
    await expect(requireDurable(redis, STRICT)).rejects.toMatchObject({
      code: 'startup_failed',
      message: expect.stringMatching(/ALLOW_NON_DURABLE_REDIS=yes/) as string,
    });
  });

  it('starts with such a Redis when the setting allows it, and logs a warning', async () => {
    await redis.config('SET', 'appendfsync', 'no');

    expect(await checked(redis, PERMISSIVE)).toEqual({
      problem: undefined,
      lines: ['warn: Redis could lose acknowledged writes.'],
    });
    await requireDurable(redis, PERMISSIVE);
  });

  it('starts with a Redis that does not report its settings only when the setting allows it', async () => {
    await redis.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '~*', '+@all', '-config');
    const { port } = new URL(server.url);
    const guest = new Redis(`redis://guest:secret@127.0.0.1:${port}`);
    try {
      const lines = [
        expect.stringMatching(/^warn: Redis does not report its persistence settings/),
      ];
      expect(await checked(guest, STRICT)).toEqual({
        problem: expect.stringMatching(/does not report appendonly/) as string,
        lines,
      });
      await expect(requireDurable(guest, STRICT)).rejects.toThrow(/ALLOW_NON_DURABLE_REDIS=yes/);
      expect(await checked(guest, PERMISSIVE)).toEqual({ problem: undefined, lines });
      await requireDurable(guest, PERMISSIVE);
    } finally {
      guest.disconnect();
    }
  });

  it('checks again with every new connection', async () => {
    const again = new Redis(server.url);
    const logger = listeningLogger();
    durabilityCheck(again, PERMISSIVE, logger);
    await again.ping();
    expect(logger.warnings).toEqual([]);

    await redis.config('SET', 'appendfsync', 'everysec');
    again.disconnect(true);
    await eventually(() => logger.warnings.length === 1, 10_000);
    again.disconnect();
  });
});
