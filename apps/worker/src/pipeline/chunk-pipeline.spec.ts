import { jest } from '@jest/globals';
import { StoreRefusedError, StoreUnavailableError } from '@app/clickhouse';
import { decodeChunk, encodeChunk } from '@app/events';
import { createLogger, type Logger } from '@app/observability';
import { aFact } from '../../../../test/support/facts.js';
import { MAX_FLUSH_MS } from './flush-age.js';
import { ByteBudget, ChunkPipeline, retryUntilStored } from './chunk-pipeline.js';

const FLUSH_BYTES = 1000;

const aChunk = (bytes: number): Buffer =>
  encodeChunk([aFact('start', { item: { inputs: { text: 'x'.repeat(bytes) } } })]);

/** A pipeline whose writes end when the test ends them. */
function aPipeline(payloads: Record<string, Buffer>) {
  const fetched: string[] = [];
  const writes: (() => void)[] = [];
  const queue = {
    payloadBytes: async (id: string) => payloads[id]!.length,
    payload: async (id: string) => (fetched.push(id), payloads[id]!),
  };
  const stream = {
    queue: { ...queue, isSettled: async () => false, settle: async () => true },
    decode: decodeChunk,
    write: () => new Promise<void>((resolve) => writes.push(resolve)),
    onPayloadLost: () => Promise.reject(new Error('lost')),
  };
  const limits = { intervalMs: () => 0, maxIntervalMs: 0, maxBytes: FLUSH_BYTES, maxInFlight: 2 };
  const chunks = new ChunkPipeline(stream, limits, createLogger('test', 'error'));
  return { chunks, fetched, writes };
}

const nextTurn = () => new Promise(setImmediate);

describe('the chunks of a pipeline', () => {
  it('are fetched only while they fit into the byte budget', async () => {
    const { chunks, fetched, writes } = aPipeline({
      large: aChunk(10 * FLUSH_BYTES),
      small: aChunk(100),
      other: aChunk(100),
    });

    const stored = ['large', 'small', 'other'].map((id) => chunks.store(id));
    await nextTurn();
    expect(fetched).toEqual(['large']);

    writes[0]!();
    await stored[0];
    await nextTurn();
    expect(fetched).toEqual(['large', 'small', 'other']);
    while (writes.length < 2) await nextTurn();
    writes[1]!();
    await Promise.all(stored.slice(0, 2));
  });
});

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

  it('returns to the queue after an hour, because its facts may have been erased since', async () => {
    const { store, waits } = failing(unavailable, unavailable);
    const hours = [0, 0, MAX_FLUSH_MS + 1].map((ms) => Date.now() + ms);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => hours.shift() ?? 0);

    await expect(store()).rejects.toThrow('paused for too long');
    expect(waits).toEqual([100]);
    clock.mockRestore();
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

const settled = async (promise: Promise<void>) => {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await new Promise(setImmediate);
  return isDone;
};

describe('a byte budget', () => {
  it('makes callers wait until others have released their bytes', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(6);
    const second = budget.acquire(5);
    const third = budget.acquire(5);

    expect([await settled(second), await settled(third)]).toEqual([false, false]);
    budget.release(6);
    expect([await settled(second), await settled(third)]).toEqual([true, true]);
  });

  it('serves callers in order, so that a large one is not starved by small ones', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(4);
    await budget.acquire(4);
    const large = budget.acquire(9);
    const small = budget.acquire(2);

    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    budget.release(4);
    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    budget.release(4);
    expect([await settled(large), await settled(small)]).toEqual([true, false]);
    budget.release(9);
    expect(await settled(small)).toBe(true);
  });

  it('admits more than the whole budget when nothing else is in use', async () => {
    const budget = new ByteBudget(10);

    expect(await settled(budget.acquire(50))).toBe(true);
    const next = budget.acquire(1);
    expect(await settled(next)).toBe(false);
    budget.release(50);
    expect(await settled(next)).toBe(true);
  });
});
