import { delayOf } from './intake-pace.js';

describe('the delay of a response', () => {
  it.each([
    [0, 0],
    [1000, 0],
    [1200, 400],
    [3000, 4000],
    [60_000, 5000],
  ])('when facts wait for %d ms with a target of a second is %d ms', (lagMs, delayMs) => {
    expect(delayOf(lagMs, 1000)).toBe(delayMs);
  });

  it('is none without a target', () => {
    expect(delayOf(60_000, 0)).toBe(0);
  });
});
