import { PartSettingsError, type OldParts } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import type { Redis } from '@app/redis';
import { RewriteRunningError, type RewriteLock } from '../repair/rewrite-lock.js';
import { DiskCopies } from './disk-copies.js';
import { ERASED_TABLES } from './erasure-target.js';
import { PartSettingsJob } from './part-settings-job.js';
import { RemovalMark } from './removal-mark.js';

/** ClickHouse with these tables whose definitions show the settings of a removal; it may be unable to change them. */
function aStore({ changed = [] as string[], isFull = false, isLocked = false } = {}) {
  const keys = new Set<string>();
  const redis = {
    set: async (key: string) => void keys.add(key),
    exists: async (key: string) => Number(keys.has(key)),
    del: async (key: string) => void keys.delete(key),
  } as unknown as Redis;
  const reset: string[][] = [];
  const warnings: string[] = [];
  const parts = {
    changedTables: async () => changed,
    resetSettings: async (named: readonly string[] = []) => {
      const tables = [...new Set([...changed, ...named])];
      reset.push(tables);
      return tables;
    },
    remove: async () => {
      if (isFull) throw new PartSettingsError(['calls'], new Error('no space left'));
      return [];
    },
    left: async () => [],
  } as unknown as OldParts;
  const lock = {
    run: async (work: (signal: AbortSignal) => unknown) => {
      if (isLocked) throw new RewriteRunningError();
      return work(new AbortController().signal);
    },
  } as unknown as RewriteLock;
  const mark = new RemovalMark(redis);
  const logger = { warn: (message: string) => void warnings.push(message) } as unknown as Logger;
  const job = new PartSettingsJob(parts, lock, mark, logger);
  const copies = new DiskCopies(redis, parts, lock, mark);
  return { job, copies, mark, reset, warnings };
}

/** The part of an erasure that removes old parts; the files of Redis are not tested here. */
const erase = (copies: DiskCopies) => copies.remove(() => () => undefined).catch(() => undefined);

describe('the settings of a removal of old parts', () => {
  it('are not changed when no removal was interrupted', async () => {
    const { job, reset, warnings } = aStore();

    await job.run();

    expect([reset, warnings]).toEqual([[], []]);
  });

  it('are reset where the definition of a table shows them', async () => {
    const { job, reset, warnings } = aStore({ changed: ['calls'] });

    await job.run();

    expect(reset).toEqual([['calls']]);
    expect(warnings).toEqual(['Finished a removal of old parts that was interrupted.']);
  });

  it('are reset for all tables once after a removal that could not reset them', async () => {
    const { job, copies, mark, reset } = aStore({ isFull: true });
    await erase(copies);
    expect(await mark.isSet()).toBe(true);

    await job.run();
    await job.run();

    expect(reset).toEqual([[...ERASED_TABLES]]);
    expect(await mark.isSet()).toBe(false);
  });

  it('leave no mark after a removal that has reset them', async () => {
    const { copies, mark } = aStore();

    await erase(copies);

    expect(await mark.isSet()).toBe(false);
  });

  it('are reported while another command prevents the reset', async () => {
    const { job, mark, reset, warnings } = aStore({ changed: ['calls'], isLocked: true });
    await mark.set();

    await job.run();

    expect(reset).toEqual([]);
    expect(warnings).toEqual(['Tables are not merged until another command has ended.']);
    expect(await mark.isSet()).toBe(true);
  });
});
