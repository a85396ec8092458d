import { jest } from '@jest/globals';
import { createLogger, metricsPage } from '@app/observability';
import type { StalePrices } from '@app/queue';
import type { Redis } from '@app/redis';
import { MaintenanceProcessor } from '../maintenance/maintenance.processor.js';
import { PRICES_FRESH_MS } from './costs-at-write.js';
import { REPRICING_EVERY_MS as EVERY_MS, RepricingJob } from './repricing-job.js';
import type { Repricing, RepricingProgress } from './repricing.js';

/** A worker that runs the job every period. The lock is free unless the test changes that. */
function aJob(reprice: (projectId: string) => AsyncGenerator<RepricingProgress>) {
  const marks = new Map<string, string>();
  const lock = { isFree: true };
  const shown = new Map<string, RepricingProgress>();
  const stale = {
    setProgress: (projectId: string, progress: RepricingProgress) =>
      Promise.resolve(void shown.set(projectId, progress)),
    all: () => Promise.resolve([...marks].map(([projectId, mark]) => ({ projectId, mark }))),
    done: (projectId: string, mark: string) =>
      Promise.resolve(void (marks.get(projectId) === mark && marks.delete(projectId))),
  };
  const redis = {
    set: () => Promise.resolve(lock.isFree ? 'OK' : null),
    eval: () => Promise.resolve(1),
  };
  const logger = createLogger('test', 'error');
  const job = new RepricingJob(
    { reprice } as unknown as Repricing,
    stale as unknown as StalePrices,
    logger,
  );
  job.onApplicationBootstrap();
  const shutdown = new AbortController();
  const scheduled = { name: 'reprice', everyMs: EVERY_MS, run: () => job.run(shutdown.signal) };
  const processor = new MaintenanceProcessor([scheduled], redis as unknown as Redis, logger);
  const period = () => void processor.process({ name: 'reprice' }).catch(() => undefined);
  const timer = setInterval(period, EVERY_MS);
  const stop = () => {
    clearInterval(timer);
    shutdown.abort();
  };
  const changePrice = (projectId: string) => void marks.set(projectId, String(Date.now()));
  return { marks, shown, lock, stop, changePrice };
}

const left = async () =>
  /heddle_worker_repricing_calls_left(?:{[^}]*})? (\d+)/.exec(await metricsPage())?.[1];
const tick = () => jest.advanceTimersByTimeAsync(EVERY_MS);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the repricing job', () => {
  it('waits until no worker writes with the old prices any more, and runs once', async () => {
    const done: string[] = [];
    const { marks, stop, changePrice } = aJob(async function* (projectId) {
      done.push(projectId);
      yield { done: 1, total: 1 };
    });
    expect(EVERY_MS).toBeGreaterThan(PRICES_FRESH_MS);
    changePrice('acme/a');
    await tick();
    expect(done).toEqual([]);
    changePrice('acme/a');
    await tick();
    expect(done).toEqual([]);
    await tick();
    await tick();
    expect({ done, marks: [...marks] }).toEqual({ done: ['acme/a'], marks: [] });
    stop();
  });

  it('saves how far it is, for those who wait', async () => {
    const { shown, stop, changePrice } = aJob(async function* () {
      yield { done: 0, total: 30 };
      yield { done: 20, total: 30 };
      await new Promise(() => undefined);
    });
    changePrice('acme/a');
    await tick();
    await tick();
    expect([...shown]).toEqual([['acme/a', { done: 20, total: 30 }]]);
    stop();
  });

  it('stops between months when the worker does, and leaves the project marked', async () => {
    let months = 0;
    const { marks, stop, changePrice } = aJob(async function* () {
      for (; months < 3; yield { done: months * 10, total: 30 }) {
        months++;
        stop();
      }
    });
    changePrice('acme/a');
    await tick();
    await tick();
    expect({ months, marks: [...marks.keys()] }).toEqual({ months: 1, marks: ['acme/a'] });
  });

  it('shows its progress while it runs', async () => {
    const shown: (string | undefined)[] = [];
    const { stop, changePrice } = aJob(async function* () {
      yield { done: 10, total: 30 };
      shown.push(await left());
      yield { done: 30, total: 30 };
      shown.push(await left());
    });
    changePrice('acme/a');
    await tick();
    await tick();
    stop();
    expect(shown).toEqual(['20', '0']);
  });

  it('is skipped while another worker has the lock, and runs again when it failed', async () => {
    let tries = 0;
    const { marks, lock, stop, changePrice } = aJob(async function* () {
      if (++tries === 1) throw new Error('the store is unavailable in this test');
      yield { done: 1, total: 1 };
    });
    changePrice('acme/a');
    await tick();
    lock.isFree = false;
    await tick();
    expect(tries).toBe(0);
    lock.isFree = true;
    await tick();
    expect({ tries, marks: marks.size }).toEqual({ tries: 1, marks: 1 });
    await tick();
    expect({ tries, marks: marks.size }).toEqual({ tries: 2, marks: 0 });
    stop();
  });
});
