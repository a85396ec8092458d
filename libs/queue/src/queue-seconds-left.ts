export interface MemorySample {
  readonly atMs: number;
  readonly usedBytes: number;
}

/** Reported when memory does not grow, has no limit, or lasts longer: one day. */
export const MAX_SECONDS_LEFT = 86_400;

/** The growth of a shorter time is mostly noise. */
const MIN_ELAPSED_MS = 10_000;

/** For how many seconds `maxBytes` suffice at the average rate between the first and the last sample. */
export function secondsLeft(samples: readonly MemorySample[], maxBytes: number): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return MAX_SECONDS_LEFT;
  if (last.usedBytes >= maxBytes) return 0;
  const elapsedMs = last.atMs - first.atMs;
  const grownBytes = last.usedBytes - first.usedBytes;
  if (elapsedMs < MIN_ELAPSED_MS || grownBytes <= 0) return MAX_SECONDS_LEFT;
  const leftMs = ((maxBytes - last.usedBytes) / grownBytes) * elapsedMs;
  return Math.min(MAX_SECONDS_LEFT, Math.floor(leftMs / 1000));
}
