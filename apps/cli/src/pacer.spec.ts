import { pacer, stepOf } from './pacer.js';

/** A clock that moves only when the test sleeps or sets it. */
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
  it('waits only while the work is ahead of its rate', async () => {
    const clock = aClock();
    const pause = pacer(100, clock);
    await pause(50);
    clock.at += 300;
    await pause(100);
    clock.at += 5000;
    await pause(150);
    expect(clock.slept).toEqual([500, 200]);
  });

  it('pauses at least once per second of work', () => {
    expect([0.5, 1, 7.9, 5000].map(stepOf)).toEqual([1, 1, 7, 5000]);
  });
});
