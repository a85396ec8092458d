import { MAX_SECONDS_LEFT, secondsLeft } from './queue-seconds-left.js';

/** One sample per second: the bytes used at the start, and how they grow. */
const samples = (seconds: number, usedBytes: number, bytesPerSecond: number) =>
  Array.from({ length: seconds + 1 }, (_, i) => ({
    atMs: i * 1000,
    usedBytes: usedBytes + i * bytesPerSecond,
  }));

describe('the seconds that the queue can accept writes', () => {
  it('are the free bytes divided by the growth per second', () => {
    expect(secondsLeft(samples(60, 0, 10), 1600)).toBe(100);
    expect(secondsLeft(samples(20, 500, 7), 1000)).toBe(51);
  });

  it('use the average growth, not the last sample alone', () => {
    const uneven = [0, 100, 50, 600].map((usedBytes, i) => ({ atMs: i * 20_000, usedBytes }));

    expect(secondsLeft(uneven, 1200)).toBe(60);
  });

  it('are none once the limit is reached, even while memory shrinks', () => {
    expect(secondsLeft(samples(60, 0, 10), 600)).toBe(0);
    expect(secondsLeft(samples(60, 5000, -10), 600)).toBe(0);
    expect(secondsLeft(samples(0, 601, 0), 600)).toBe(0);
  });

  it.each([
    ['memory does not grow', samples(60, 100, 0), 1000],
    ['memory shrinks', samples(60, 900, -10), 1000],
    ['memory has no limit', samples(60, 0, 1000), Infinity],
    ['memory grows too slowly', samples(60, 0, 1), 10_000_000],
    ['the samples cover less than ten seconds', samples(9, 0, 100), 1000],
    ['there are no samples', [], 1000],
  ])('are one day when %s', (_, taken, maxBytes) => {
    expect(secondsLeft(taken, maxBytes)).toBe(MAX_SECONDS_LEFT);
  });
});
