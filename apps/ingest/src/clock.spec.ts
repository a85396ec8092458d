import { Clock } from './clock.js';

describe('the clock of ingest', () => {
  it('tells microseconds since 1970', () => {
    const before = Date.now() * 1000;
    const now = new Clock().now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() * 1000 + 1000);
  });

  it('is later at every look, also within a millisecond', () => {
    const clock = new Clock();
    const looks = Array.from({ length: 10_000 }, () => clock.now());

    expect(looks.every((look, i) => i === 0 || look > looks[i - 1]!)).toBe(true);
    expect(looks.every(Number.isSafeInteger)).toBe(true);
  });
});
