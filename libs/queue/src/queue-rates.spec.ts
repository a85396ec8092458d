import { rateOf } from './queue-rates.js';

const at = (atMs: number, received: number, settled: number) => ({ atMs, received, settled });

describe('the rates of the queue', () => {
  it('are averages over the samples', () => {
    expect(rateOf([at(0, 100, 50), at(5000, 150, 60), at(10_000, 300, 150)])).toEqual({
      received: 20,
      settled: 10,
      overMs: 10_000,
    });
  });

  it('are zero before the second sample, and when a sum shrinks', () => {
    const none = { received: 0, settled: 0, overMs: 0 };
    expect(rateOf([])).toEqual(none);
    expect(rateOf([at(0, 5, 5)])).toEqual(none);
    expect(rateOf([at(0, 5, 5), at(1000, 2, 2)])).toEqual({ ...none, overMs: 1000 });
  });
});
