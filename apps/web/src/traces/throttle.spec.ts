import { jest } from '@jest/globals';
import { Throttle } from './throttle.js';

/** Runs that the test ends itself. */
function started() {
  const ends: (() => void)[] = [];
  const act = () => new Promise<void>((resolve) => ends.push(resolve));
  return { act, ends };
}

describe('a list that is read again while calls arrive', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is read at once, and then once for all that came in between', async () => {
    const throttle = new Throttle();
    const { act, ends } = started();
    throttle.run('list', 500, act);
    await jest.advanceTimersByTimeAsync(0);
    ends[0]!();
    await jest.advanceTimersByTimeAsync(0);
    for (let n = 0; n < 5; n++) throttle.run('list', 500, act);

    await jest.advanceTimersByTimeAsync(499);
    expect(ends).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(ends).toHaveLength(2);
  });

  it('is read to its end although calls arrive all the time, and then again', async () => {
    const throttle = new Throttle();
    const { act, ends } = started();
    for (let n = 0; n < 30; n++) {
      throttle.run('list', 500, act);
      await jest.advanceTimersByTimeAsync(100);
    }
    expect(ends).toHaveLength(1);

    ends[0]!();
    await jest.advanceTimersByTimeAsync(0);
    expect(ends).toHaveLength(2);
    throttle.run('list', 500, act);
    throttle.stop();
    ends[1]!();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(ends).toHaveLength(2);
  });
});
