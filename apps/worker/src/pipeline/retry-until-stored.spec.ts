import { StoreUnavailableError, StoreRefusedError } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { retryUntilStored } from './retry-until-stored.js';

const unavailable = new StoreUnavailableError('unavailable');

/** Writes that fail with these errors, one after the other, and then succeed. */
function failing(...errors: Error[]) {
  const waits: number[] = [];
  const warn = (_: string, { waitMs }: { waitMs: number }) => waits.push(waitMs);
  const stopping = new AbortController();
  const write = async () => {
    const error = errors.shift();
    if (error) throw error;
  };
  const alarms: string[] = [];
  const error = (sentence: string) => alarms.push(sentence);
  const logger = { warn, error } as unknown as Logger;
  return { alarms, waits, stopping, store: () => retryUntilStored(write, logger, stopping.signal) };
}

describe('a write that is retried until it is stored', () => {
  it('is retried while ClickHouse is unavailable, with growing waits', async () => {
    const { store, waits } = failing(unavailable, unavailable, unavailable);

    await expect(store()).resolves.toBeUndefined();
    expect(waits).toEqual([100, 200, 400]);
  });

  it('is retried after an unexpected error too, which is logged as an error', async () => {
    const { store, waits, alarms } = failing(
      new StoreUnavailableError('x', undefined, true),
      unavailable,
    );

    await expect(store()).resolves.toBeUndefined();
    expect(waits).toEqual([200]);
    expect(alarms).toEqual([expect.stringContaining('unexpected error; retrying in 0.1 s')]);
  });

  it('is not retried when ClickHouse refuses it, or after any other error', async () => {
    for (const error of [new StoreRefusedError('never', 27), new Error('bug')]) {
      const { store, waits } = failing(error);
      await expect(store()).rejects.toBe(error);
      expect(waits).toEqual([]);
    }
  });

  it('rejects with the error of ClickHouse when the worker stops, waiting or not', async () => {
    const { store, stopping, waits } = failing(unavailable, unavailable);
    const waiting = store();
    setImmediate(() => stopping.abort());
    await expect(waiting).rejects.toBe(unavailable);
    expect(waits).toEqual([100]);

    await expect(store()).rejects.toBe(unavailable);
    expect(waits).toEqual([100]);
  });
});
