import { pacer, stepOf } from './pacer.js';

/** A clock on which only waiting takes time, or whatever a test says. */
function aClock() {
  const clock = {
    at: 5000,
    slept: [] as number[],
    now: () => clock.at,
    sleep: async (ms: number) => {
      clock.slept.push(ms);
      clock.at += ms;
    },
  };
  return clock;
}

describe('a pacer', () => {
  it('waits for as long as the work was ahead of its rate, and no longer', async () => {
    const clock = aClock();
    const pause = pacer(100, clock);
    await pause(50);
    clock.at += 300;
    await pause(100);
    clock.at += 5000;
    await pause(150);
    expect(clock.slept).toEqual([500, 200]);
  });

  it('is asked after a second of work at the latest', () => {
    expect([0.5, 1, 7.9, 5000].map(stepOf)).toEqual([1, 1, 7, 5000]);
  });
});
