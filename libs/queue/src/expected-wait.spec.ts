import { ExpectedWait } from './expected-wait.js';

/** The last result of a sample every 100 ms for two seconds. */
function after(lagAt: (ms: number) => number, expected = new ExpectedWait(), from = 0): number {
  let result = NaN;
  for (let at = from; at <= from + 2000; at += 100) result = expected.add(at, lagAt(at - from));
  return result;
}

describe('the expected wait of a fact', () => {
  it('is the lag while facts are stored at the rate at which they are received', () => {
    expect(after(() => 600)).toBeCloseTo(600);
  });

  it('is longer while facts arrive faster than they are stored', () => {
    expect(after((ms) => ms / 2)).toBeCloseTo(2000);
  });

  it('is shorter while workers catch up, but at least half', () => {
    expect(after((ms) => 2000 - ms / 2)).toBeCloseTo(1000 / 1.5);
    expect(after((ms) => 4000 - ms)).toBeCloseTo(1000);
    expect(after((ms) => 9000 - 4 * ms)).toBeCloseTo(500);
  });

  it('is four times the lag before anything was stored', () => {
    expect(after((ms) => ms)).toBeCloseTo(8000);
  });

  it('is the lag again after a pause', () => {
    const expected = new ExpectedWait();
    after((ms) => ms, expected);
    expect(expected.add(10_000, 300)).toBe(300);
  });

  it('is nothing without a lag', () => {
    expect(after(() => 0)).toBe(0);
  });
});
