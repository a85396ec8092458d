import { jest } from '@jest/globals';
import { isStuck, queueChecks, type Progress, type QueueProgress } from './queue-progress.js';
import type { StreamName } from './streams.js';

const LAG_MS = 60_000;
const progress = (oldestMs: number, sinceSettledMs: number): Progress => ({
  pendingChunks: 3,
  oldest: 'c1',
  oldestMs,
  sinceSettledMs,
});

describe('the queue', () => {
  it.each([
    ['is stuck when facts are old and nothing is stored', 60_001, 60_001, true],
    ['is stuck when nothing was ever stored', 60_001, Infinity, true],
    ['is behind, but not stuck, while something is stored', 600_000, 10, false],
    ['is idle when nothing is pending', 0, Infinity, false],
    ['is not stuck until the maximum lag has passed', 60_000, 60_000, false],
  ])('%s', (_, oldestMs, sinceSettledMs, expected) => {
    expect(isStuck(progress(oldestMs, sinceSettledMs), LAG_MS)).toBe(expected);
  });
});

describe('the checks of the queue', () => {
  const problems = (read: (stream?: StreamName) => Promise<Progress>) => {
    const checks = queueChecks({ read } as QueueProgress, { maxLagMs: LAG_MS });
    return Promise.allSettled(checks.map(({ problem }) => problem()));
  };

  it('report no problem while a worker stores chunks', async () => {
    expect(await problems(async () => progress(90_000, 10))).toMatchObject([
      { value: undefined },
      { value: undefined },
      { value: undefined },
    ]);
  });

  it('report how many chunks are pending, and for how long', async () => {
    expect(await problems(async () => progress(90_000, Infinity))).toMatchObject([
      { value: undefined },
      { value: '3 chunks are pending, the oldest for 90 s, and no worker stores any' },
      { value: '3 chunks are pending, the oldest for 90 s, and no worker stores any' },
    ]);
  });

  it('report a chunk that stays the oldest while others are stored, but not a queue that moves on', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    let oldest = 'c1';
    const read = async () => ({ ...progress(90_000, 10), oldest });
    const limits = { maxLagMs: LAG_MS };
    const progressed = { read } as unknown as QueueProgress;
    const [, calls] = queueChecks(progressed, { ...limits, reportsSkippedChunks: true });
    const [, atIngest] = queueChecks(progressed, limits);

    expect(await calls!.problem()).toBeUndefined();
    jest.advanceTimersByTime(LAG_MS);
    oldest = 'c2';
    expect(await calls!.problem()).toBeUndefined();
    jest.advanceTimersByTime(LAG_MS + 1);
    expect(await calls!.problem()).toMatch(/others are stored, but not c2/);
    expect(await atIngest!.problem()).toBeUndefined();
    jest.useRealTimers();
  });

  it('report a stall of records while calls are stored', async () => {
    const read = async (stream?: StreamName) =>
      progress(90_000, stream === 'records' ? Infinity : 10);
    expect(await problems(read)).toMatchObject([
      { value: undefined },
      { value: undefined },
      { value: expect.stringMatching(/no worker stores any/) },
    ]);
  });

  it('fail with the error of Redis when it is unavailable', async () => {
    const unavailable = async () => Promise.reject(new Error('unavailable'));
    const all = await problems(unavailable);
    expect(all.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  });
});
