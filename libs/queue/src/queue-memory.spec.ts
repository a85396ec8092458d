import { jest } from '@jest/globals';
import { metricsPage } from '@app/observability';
import type { Redis } from '@app/redis';
import { QueueMemory } from './queue-memory.js';

const MB = 1_000_000;

/** A queue whose Redis has 1000 MB, of which writes may use 75 %. */
function aQueue({ limit = 1000 * MB } = {}) {
  const used = { bytes: 0 };
  const redis = {
    status: 'ready',
    info: () =>
      Promise.resolve(
        `# Memory\r\nused_memory:${used.bytes}\r\nmaxmemory:${limit}\r\nused_memory_rss:1\r\n`,
      ),
  };
  const memory = new QueueMemory(redis as unknown as Redis, { memoryPercent: 75 });
  const pass = async (seconds: number, bytesPerSecond: number) => {
    for (let i = 0; i < seconds; i++) {
      used.bytes += bytesPerSecond;
      await jest.advanceTimersByTimeAsync(1000);
    }
  };
  return { memory, pass, redis };
}

describe('the memory of the queue', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('lasts until the share of writes is used, at the rate of the last minute', async () => {
    const { memory, pass } = aQueue();
    memory.onApplicationBootstrap();

    await pass(60, 0);
    expect(memory.secondsLeft()).toBe(86_400);
    await pass(61, 5 * MB);
    expect(memory.secondsLeft()).toBe((750 - 305) / 5);
    expect(await metricsPage()).toContain('\nheddle_queue_seconds_left 89\n');
    await pass(61, 0);
    expect(memory.secondsLeft()).toBe(86_400);
    memory.onModuleDestroy();
  });

  it('lasts one day at most, and without a limit', async () => {
    const { memory, pass } = aQueue({ limit: 0 });

    await pass(60, 50 * MB);
    expect(memory.secondsLeft()).toBe(86_400);
    expect(() => memory.refuseWhenFull()).not.toThrow();
    memory.onModuleDestroy();
  });

  it('is reported as a notice when it lasts less than ten minutes', async () => {
    const { memory, pass } = aQueue();
    const check = memory.check();

    expect(check.isAdvisory).toBe(true);
    expect(await check.problem()).toBeUndefined();
    await pass(30, 10 * MB);
    expect(await check.problem()).toBe(
      "30 % of Redis's memory is used; writes are accepted for about 45 s more at the current rate",
    );
    await pass(45, 10 * MB);
    expect(await check.problem()).toBe(
      "75 % of Redis's memory is used; writes are refused until workers have caught up",
    );
    expect(() => memory.refuseWhenFull()).toThrow('The queue is at 75 % of its memory');
    memory.onModuleDestroy();
  });

  it('keeps its last figure while Redis is unavailable', async () => {
    const { memory, pass, redis } = aQueue();

    await pass(30, 10 * MB);
    const before = memory.secondsLeft();
    redis.status = 'reconnecting';
    await pass(100, 10 * MB);

    expect(memory.secondsLeft()).toBe(before);
    memory.onModuleDestroy();
  });
});
