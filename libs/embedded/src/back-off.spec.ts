import { BackOff } from './back-off.js';

describe('the back-off', () => {
  it('doubles with every quick death, up to ten seconds', () => {
    const backOff = new BackOff();
    const delays = Array.from({ length: 9 }, () => backOff.delayAfter(50));
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('begins anew after a stable minute', () => {
    const backOff = new BackOff();
    backOff.delayAfter(50);
    backOff.delayAfter(50);
    expect(backOff.delayAfter(60_000)).toBe(100);
  });
});
