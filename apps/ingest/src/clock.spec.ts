import { Clock } from './clock.js';

describe('the clock of ingest', () => {
  it('returns microseconds since 1970', () => {
    const before = Date.now() * 1000;
    const now = new Clock().now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() * 1000 + 1000);
  });

  it('returns a later time at every reading, also within a millisecond', () => {
    const clock = new Clock();
    const readings = Array.from({ length: 10_000 }, () => clock.now());

    expect(readings.every((reading, i) => i === 0 || reading > readings[i - 1]!)).toBe(true);
    expect(readings.every(Number.isSafeInteger)).toBe(true);
  });
});
