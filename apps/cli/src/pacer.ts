import { setTimeout } from 'node:timers/promises';

interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const SYSTEM_CLOCK: Clock = { now: () => Date.now(), sleep: (ms) => setTimeout(ms) };

/** Returns a function that waits until the work done so far does not exceed the rate. */
export function pacer(perSecond: number, clock = SYSTEM_CLOCK): (done: number) => Promise<void> {
  const startedAt = clock.now();
  return async (done) => {
    const ahead = (done / perSecond) * 1000 - (clock.now() - startedAt);
    if (ahead > 0) await clock.sleep(ahead);
  };
}

/** The work between two pauses: one second's worth, so that a low rate makes no bursts. */
export const stepOf = (perSecond: number): number => Math.max(1, Math.floor(perSecond));
