import { StoreUnavailableError, StoreRefusedError } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { retryUntilStored } from './retry-until-stored.js';

const busy = new StoreUnavailableError('away');

/** Writes that fail with these errors, one after the other, and then succeed. */
function failing(...errors: Error[]) {
  const waits: number[] = [];
  const warn = (_: string, { againInMs }: { againInMs: number }) => waits.push(againInMs);
  const stopping = new AbortController();
  const write = async () => {
    const error = errors.shift();
    if (error) throw error;
  };
  const logger = { warn } as unknown as Logger;
  return { waits, stopping, store: () => retryUntilStored(write, logger, stopping.signal) };
}

describe('writing until it is stored', () => {
  it('tries again while the store is busy, less and less often', async () => {
    const { store, waits } = failing(busy, busy, busy);

    await expect(store()).resolves.toBeUndefined();
    expect(waits).toEqual([100, 200, 400]);
  });

  it('gives up at once what the store refuses, and what is no error of the store', async () => {
    for (const error of [new StoreRefusedError('never', 27), new Error('bug')]) {
      const { store, waits } = failing(error);
      await expect(store()).rejects.toBe(error);
      expect(waits).toEqual([]);
    }
  });

  it('ends with the error of the store when it is told to stop, waiting or not', async () => {
    const { store, stopping, waits } = failing(busy, busy);
    const waiting = store();
    setImmediate(() => stopping.abort());
    await expect(waiting).rejects.toBe(busy);
    expect(waits).toEqual([100]);

    await expect(store()).rejects.toBe(busy);
    expect(waits).toEqual([100]);
  });
});
