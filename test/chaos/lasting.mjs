import { setTimeout as sleep } from 'node:timers/promises';

const EFFECT_WITHIN_MS = 30_000;

/** Waits for `ms`, and on a slow machine until the fault had an effect. Resolves with whether it had one. */
export async function lasting(ms, hasEffect) {
  const deadline = Date.now() + ms + EFFECT_WITHIN_MS;
  await sleep(ms);
  while (!hasEffect() && Date.now() < deadline) await sleep(50);
  return hasEffect();
}
