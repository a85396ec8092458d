import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '@app/queue';

const POLL_MS = 100;

/** Waits until the queue has no facts of the project. Resolves to the number that is still there after `waitMs`. */
export async function storedWithin(
  ledger: Ledger,
  projectId: string,
  waitMs: number,
): Promise<number> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const facts = await ledger.pendingFacts(projectId);
    if (facts === 0 || Date.now() > deadline) return facts;
    await sleep(POLL_MS);
  }
}
