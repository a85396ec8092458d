import { setTimeout } from 'node:timers/promises';

/** What a pacer needs of the world. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

const theClock: Clock = { now: () => Date.now(), sleep: (ms) => setTimeout(ms) };

/** Waits until so many things done fit the rate. */
export function pacer(perSecond: number, clock = theClock): (done: number) => Promise<void> {
  const began = clock.now();
  return async (done) => {
    const ahead = (done / perSecond) * 1000 - (clock.now() - began);
    if (ahead > 0) await clock.sleep(ahead);
  };
}

/** Done at once, and then paced: a second's worth, so that a low rate makes no bursts. */
export const stepOf = (perSecond: number): number => Math.max(1, Math.floor(perSecond));
