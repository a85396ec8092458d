import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis, type EmbeddedRedis } from '@app/embedded';
import { isAlive, listeningLogger, newDirectory, until } from './engine.js';

const logger = listeningLogger();
let directory: string;
let redis: EmbeddedRedis;
let client: Redis;

beforeAll(async () => {
  directory = await newDirectory();
  redis = await startRedis({ directory, logger, maxMemoryBytes: 64 * 1024 ** 2 });
  client = connect();
});
afterAll(async () => {
  client.disconnect();
  await redis.stop();
  await rm(directory, { recursive: true });
});

function connect(): Redis {
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  connection.on('error', () => undefined); // these tests kill Redis, and the client reconnects
  return connection;
}

describe('the embedded Redis', () => {
  it.each([
    ['appendonly', 'yes'],
    ['appendfsync', 'always'],
    ['save', ''],
    ['maxmemory', String(64 * 1024 ** 2)],
    ['maxmemory-policy', 'noeviction'],
    ['auto-aof-rewrite-min-size', String(1024 ** 3)],
    ['aof-load-truncated', 'yes'],
    ['bind', '127.0.0.1'],
  ])('runs with %s %s', async (name, value) => {
    expect(await client.config('GET', name)).toEqual([name, value]);
  });

  it('keeps its password out of the process list, and its configuration unreadable for others', () => {
    const { password } = new URL(redis.url);
    expect(readFileSync(`/proc/${redis.pid()}/cmdline`, 'utf8')).not.toContain(password);
    expect(statSync(join(directory, 'redis.conf')).mode & 0o777).toBe(0o600);
  });

  it('refuses a client without the password', async () => {
    const { port } = new URL(redis.url);
    const anonymous = new Redis(Number(port), '127.0.0.1');
    anonymous.on('error', () => undefined);
    await expect(anonymous.get('a')).rejects.toThrow(/NOAUTH/);
    anonymous.disconnect();
  });

  it('loses nothing acknowledged when it is killed, and restarts at the same address', async () => {
    const acknowledged: string[] = [];
    const killed = redis.pid() ?? 0;
    const deaths = logger.warnings.length;
    const write = async () => {
      for (let i = 0; i < 2_000; i++) {
        await client.set(`key-${i}`, i);
        acknowledged.push(`key-${i}`);
        if (i === 500) process.kill(killed, 'SIGKILL');
      }
    };
    await write();
    expect(redis.pid()).not.toBe(killed);
    expect(await client.exists(...acknowledged)).toBe(acknowledged.length);
    expect(logger.warnings.slice(deaths)).toEqual([
      {
        sentence: 'Redis exited unexpectedly; restarting in 100 ms.',
        fields: expect.objectContaining({ signal: 'SIGKILL', restartInMs: 100 }),
      },
    ]);
  });

  it('leaves no process when it stops, and has its data when it is started again', async () => {
    await client.set('a', 'kept');
    const pid = redis.pid() ?? 0;
    const watcher = childrenOf(pid);
    expect(watcher).toHaveLength(1);
    client.disconnect();
    await redis.stop();
    await until(() => ![pid, ...watcher].some(isAlive));

    redis = await startRedis({ directory, logger });
    client = connect();
    expect(await client.get('a')).toBe('kept');
  });
});

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}
