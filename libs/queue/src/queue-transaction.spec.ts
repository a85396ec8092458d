import type { Queue } from 'bullmq';
import { Redis, type SetBytesCommand, type WriteGuard } from '@app/redis';
import { beginTransaction } from './queue-transaction.js';

const MiB = 1024 * 1024;

describe('a transaction', () => {
  /** Sends nothing: `sent` are the commands that set bytes. */
  async function aTransaction(values: readonly Buffer[]) {
    const sent: SetBytesCommand[] = [];
    const multi = { sendCommand: (command: SetBytesCommand) => sent.push(command) };
    const queue = { backend: { client: Promise.resolve() } };
    const redis = Object.assign(new Redis({ lazyConnect: true }), { multi: () => multi });
    let checks = 0;
    const guard = { requireWritable: async () => void checks++ };
    const transaction = await beginTransaction(
      queue as unknown as Queue,
      redis,
      guard as unknown as WriteGuard,
    );
    for (const value of values) transaction.setBytes('key', value);
    await transaction.prepare();
    const isPrepared = sent.map((command) => command.toWritable({}) === command.toWritable({}));
    return { isPrepared, checks };
  }

  it('of more than 4 MiB is copied before it is sent, and Redis is checked again', async () => {
    const values = Array.from({ length: 3 }, () => Buffer.alloc(2 * MiB));
    expect(await aTransaction(values)).toEqual({ isPrepared: [true, true, true], checks: 1 });
  });

  it('of few bytes is copied when it is sent', async () => {
    expect(await aTransaction([Buffer.alloc(MiB)])).toEqual({ isPrepared: [false], checks: 0 });
  });

  it('knows the scripts that add jobs, and none of the others of its connection', async () => {
    const redis = new Redis({ lazyConnect: true });
    for (const name of ['addStandardJob:6', 'moveToActive:6', 'addLog:6'])
      redis.defineCommand(name, { lua: 'return 1', numberOfKeys: 0 });
    const queue = { backend: { client: Promise.resolve() } } as unknown as Queue;
    const { commands } = await beginTransaction(queue, redis, {} as WriteGuard);
    expect(Object.keys(commands).filter((name) => /:6$/.test(name))).toEqual(['addStandardJob:6']);
    expect(redis).toHaveProperty(['moveToActive:6']);
  });
});
