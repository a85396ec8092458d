import { jest } from '@jest/globals';
import { createLogger, metricsPage } from '@app/observability';
import type { Redis } from '@app/redis';
import { PRICES_FRESH_MS } from './costs-at-write.js';
import { EVERY_MS, RepricingJob } from './repricing-job.js';
import type { Repricing, RepricingProgress } from './repricing.js';
import type { StalePrices } from './stale-prices.js';

/** Nobody else holds the lock, unless the test says so. */
function aJob(reprice: (projectId: string) => AsyncGenerator<RepricingProgress>) {
  const marks = new Map<string, string>();
  const lock = { isFree: true };
  const stale = {
    all: () => Promise.resolve([...marks].map(([projectId, mark]) => ({ projectId, mark }))),
    done: (projectId: string, mark: string) =>
      Promise.resolve(void (marks.get(projectId) === mark && marks.delete(projectId))),
  };
  const redis = {
    set: () => Promise.resolve(lock.isFree ? 'OK' : null),
    eval: () => Promise.resolve(1),
  };
  const job = new RepricingJob(
    { reprice } as unknown as Repricing,
    stale as unknown as StalePrices,
    redis as unknown as Redis,
    createLogger('test', 'error'),
  );
  return { job, marks, lock };
}

const left = async () =>
  /worker_repricing_calls_left(?:{[^}]*})? (\d+)/.exec(await metricsPage())?.[1];
const tick = () => jest.advanceTimersByTimeAsync(EVERY_MS);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the refreshing of costs', () => {
  it('waits until no worker writes by the old prices any more, and happens once', async () => {
    const done: string[] = [];
    const { job, marks } = aJob(async function* (projectId) {
      done.push(projectId);
      yield { done: 1, total: 1 };
    });
    expect(EVERY_MS).toBeGreaterThan(PRICES_FRESH_MS);
    job.onApplicationBootstrap();
    marks.set('acme/a', '1');
    await tick();
    expect(done).toEqual([]);
    marks.set('acme/a', '2');
    await tick();
    expect(done).toEqual([]);
    await tick();
    await tick();
    expect({ done, marks: [...marks] }).toEqual({ done: ['acme/a'], marks: [] });
    job.onModuleDestroy();
    marks.set('acme/a', '3');
    await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(done).toHaveLength(1);
  });

  it('stops between months when the worker does, and is not taken for done', async () => {
    let months = 0;
    const { job, marks } = aJob(async function* () {
      for (; months < 3; yield { done: months * 10, total: 30 }) {
        months++;
        job.onModuleDestroy();
      }
    });
    job.onApplicationBootstrap();
    marks.set('acme/a', '1');
    await tick();
    await tick();
    expect({ months, marks: [...marks] }).toEqual({ months: 1, marks: [['acme/a', '1']] });
  });

  it('shows its progress while it goes on', async () => {
    const shown: (string | undefined)[] = [];
    const { job, marks } = aJob(async function* () {
      yield { done: 10, total: 30 };
      shown.push(await left());
      yield { done: 30, total: 30 };
      shown.push(await left());
    });
    job.onApplicationBootstrap();
    marks.set('acme/a', '1');
    await tick();
    await tick();
    job.onModuleDestroy();
    expect(shown).toEqual(['20', '0']);
  });

  it('is left to the worker that holds the lock, and tried again when it fails', async () => {
    let tries = 0;
    const { job, marks, lock } = aJob(async function* () {
      if (++tries === 1) throw new Error('the store is away, as this test wants it');
      yield { done: 1, total: 1 };
    });
    job.onApplicationBootstrap();
    marks.set('acme/a', '1');
    await tick();
    lock.isFree = false;
    await tick();
    expect(tries).toBe(0);
    lock.isFree = true;
    await tick();
    expect({ tries, marks: marks.size }).toEqual({ tries: 1, marks: 1 });
    await tick();
    expect({ tries, marks: marks.size }).toEqual({ tries: 2, marks: 0 });
    job.onModuleDestroy();
  });
});
