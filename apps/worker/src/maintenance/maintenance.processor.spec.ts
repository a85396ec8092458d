import { createLogger, metricsPage } from '@app/observability';
import type { Redis } from '@app/redis';
import { MaintenanceProcessor } from './maintenance.processor.js';

function aProcessor(run: () => Promise<void>, { isLocked = false } = {}) {
  const logged: string[] = [];
  const redis = { set: async () => (isLocked ? null : 'OK'), eval: async () => 1 };
  const processor = new MaintenanceProcessor(
    [{ name: 'tidy', everyMs: 1000, run }],
    redis as unknown as Redis,
    createLogger('test', 'warn', { write: (line) => void logged.push(line) }),
  );
  return { processor, logged };
}

const figure = async (metric: string) =>
  Number(new RegExp(`^${metric}{task="tidy"} (\\S+)`, 'm').exec(await metricsPage())?.[1] ?? 0);

describe('the maintenance processor', () => {
  it('counts a run and shows when it last succeeded', async () => {
    const { processor, logged } = aProcessor(async () => undefined);
    const before = await figure('heddle_worker_maintenance_runs_total');

    await processor.process({ name: 'tidy' });

    expect(await figure('heddle_worker_maintenance_runs_total')).toBe(before + 1);
    const succeededAt = await figure('heddle_worker_maintenance_last_success_seconds');
    expect(Math.abs(succeededAt - Date.now() / 1000)).toBeLessThan(60);
    expect(logged).toEqual([]);
  });

  it('counts and logs a failure once, and fails the job', async () => {
    const { processor, logged } = aProcessor(() => Promise.reject(new Error('no store')));
    const before = await figure('heddle_worker_maintenance_failures_total');

    await expect(processor.process({ name: 'tidy' })).rejects.toThrow('no store');

    expect(await figure('heddle_worker_maintenance_failures_total')).toBe(before + 1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/tidy[^]*no store/);
  });

  it('skips a run while another worker has the lock of that name', async () => {
    let runs = 0;
    const { processor, logged } = aProcessor(async () => void runs++, { isLocked: true });
    const before = await figure('heddle_worker_maintenance_runs_total');

    await processor.process({ name: 'tidy' });

    expect(runs).toBe(0);
    expect(await figure('heddle_worker_maintenance_runs_total')).toBe(before);
    expect(logged).toEqual([]);
  });

  it('ignores a job that only another version knows', async () => {
    const { processor, logged } = aProcessor(() => Promise.reject(new Error('wrong job')));

    await processor.process({ name: 'of-another-version' });

    expect(logged).toEqual([]);
  });
});
