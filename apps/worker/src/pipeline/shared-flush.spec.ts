import { jest } from '@jest/globals';
import { SharedFlush } from './shared-flush.js';

const INTERVAL_MS = 250;
const FULL = 100;

/** A writer whose writes end when the test ends them. */
function slowWriter(maxIntervalMs = 0) {
  const writes: { items: readonly string[]; end: () => void; fail: (error: Error) => void }[] = [];
  const write = (items: readonly string[]) =>
    new Promise<void>((resolve, reject) => writes.push({ items, end: resolve, fail: reject }));
  const flush = new SharedFlush<string>(write, {
    intervalMs: () => INTERVAL_MS,
    maxIntervalMs,
    maxBytes: FULL,
    maxInFlight: 2,
  });
  return { flush, writes, written: () => writes.map(({ items }) => items.join('')) };
}

const passed = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('a shared flush', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('writes at once after an idle period', async () => {
    const { flush, writes, written } = slowWriter();
    const first = flush.add(['a'], 1);
    expect(written()).toEqual(['a']);

    writes[0]!.end();
    await first;
    await passed(INTERVAL_MS);
    void flush.add(['b'], 1);
    expect(written()).toEqual(['a', 'b']);
  });

  it('writes larger batches, not more of them, under load', async () => {
    const { flush, writes, written } = slowWriter();
    void flush.add(['a'], 1);
    writes[0]!.end();
    await passed(0);

    for (const item of ['b', 'c', 'd']) void flush.add([item], 1);
    await passed(INTERVAL_MS - 1);
    expect(written()).toEqual(['a']);
    await passed(1);
    expect(written()).toEqual(['a', 'bcd']);
  });

  it('writes as soon as the previous write has ended, if that took longer than the interval', async () => {
    const { flush, writes, written } = slowWriter();
    void flush.add(['a'], 1);
    await passed(10);
    void flush.add(['b'], 1);
    await passed(2 * INTERVAL_MS);
    void flush.add(['c'], 1);
    expect(written()).toEqual(['a']);

    writes[0]!.end();
    await passed(0);
    expect(written()).toEqual(['a', 'bc']);
  });

  it('rests after a slow write for as long as that took, up to a limit', async () => {
    const { flush, writes, written } = slowWriter(1000);
    void flush.add(['a'], 1);
    await passed(400);
    void flush.add(['b'], 1);
    writes[0]!.end();
    await passed(399);
    expect(written()).toEqual(['a']);
    await passed(1);
    expect(written()).toEqual(['a', 'b']);

    await passed(900);
    void flush.add(['c'], 1);
    writes[1]!.end();
    await passed(99);
    expect(written()).toEqual(['a', 'b']);
    await passed(1);
    expect(written()).toEqual(['a', 'b', 'c']);
  });

  it('does not wait for the interval when it is full', async () => {
    const { flush, writes, written } = slowWriter();
    void flush.add(['a'], 1);
    writes[0]!.end();
    await passed(0);

    void flush.add(['b'], FULL - 1);
    expect(written()).toEqual(['a']);
    void flush.add(['c'], 1);
    expect(written()).toEqual(['a', 'bc']);

    await passed(INTERVAL_MS);
    expect(written()).toEqual(['a', 'bc']);
  });

  it('has at most two writes in flight, however full the next is', async () => {
    const { flush, writes, written } = slowWriter();
    for (const item of ['a', 'b', 'c', 'd']) void flush.add([item], FULL);
    await passed(10 * INTERVAL_MS);
    expect(written()).toEqual(['a', 'b']);

    writes[0]!.end();
    await passed(0);
    expect(written()).toEqual(['a', 'b', 'cd']);
  });

  it('rejects only the callers whose items were in the failed write', async () => {
    const { flush, writes, written } = slowWriter();
    const outcomes = Promise.allSettled([
      flush.add(['a'], FULL),
      flush.add(['b'], FULL),
      flush.add(['c'], 1),
      flush.add(['d'], 1),
    ]);
    writes[0]!.end();
    writes[1]!.fail(new Error('refused'));
    await passed(INTERVAL_MS);
    expect(written()).toEqual(['a', 'b', 'cd']);
    writes[2]!.fail(new Error('refused too'));

    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    await passed(INTERVAL_MS);
    const next = flush.add(['e'], 1);
    writes[3]!.end();
    await expect(next).resolves.toBeUndefined();
  });
});
