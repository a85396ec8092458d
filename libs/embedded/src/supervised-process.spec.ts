import { BackOff } from './supervised-process.js';

describe('the back-off of a supervised process', () => {
  it('doubles with every quick exit, up to ten seconds', () => {
    const backOff = new BackOff();
    const delays = Array.from({ length: 9 }, () => backOff.delayAfter(50));
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('is reset after a stable minute', () => {
    const backOff = new BackOff();
    backOff.delayAfter(50);
    backOff.delayAfter(50);
    expect(backOff.delayAfter(60_000)).toBe(100);
  });
});
