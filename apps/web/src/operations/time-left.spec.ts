import { period, timeLeft } from './time-left.js';

describe('the time left', () => {
  it.each([
    [86_400, 'more than a day left'],
    [7300, 'about 2 h left'],
    [125, 'about 2 min left'],
    [59, 'about 59 s left'],
    [0, 'writes are refused'],
  ])('of %d seconds is "%s"', (seconds, text) => {
    expect(timeLeft(seconds)).toBe(text);
  });

  it('has periods in seconds or minutes', () => {
    expect([1, 10, 60, 600].map(period)).toEqual(['1 s', '10 s', '1 min', '10 min']);
  });
});
