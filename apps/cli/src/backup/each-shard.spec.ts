import type { Store } from '@app/clickhouse';
import { onEachShard } from './each-shard.js';

const NODES = [1, 2, 3] as unknown as Store[];
const ended = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });

describe('work on every shard', () => {
  it('runs at the same time, and ends when all have ended', async () => {
    const order: number[] = [];
    await onEachShard(NODES, new AbortController().signal, async (_, shard) => {
      if (shard === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(shard);
    });
    expect(order).toEqual([1, 2, 0]);
  });

  it('is aborted on the others when it fails on one, and rejects with that error', async () => {
    const work = (_: Store, shard: number, signal: AbortSignal) =>
      shard === 1 ? Promise.reject(new Error('disk full')) : ended(signal);
    const signal = new AbortController().signal;
    await expect(onEachShard(NODES, signal, work)).rejects.toThrow('disk full');
  });

  it('ends when the command is interrupted', async () => {
    const interruption = new AbortController();
    const work = onEachShard(NODES, interruption.signal, (_, _shard, signal) => ended(signal));
    interruption.abort();
    await expect(work).rejects.toThrow('aborted');
  });
});
