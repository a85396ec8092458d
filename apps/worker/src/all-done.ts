/** Waits until all have ended, however; then throws what went wrong, of the first in the list. Nothing goes on unseen. */
export async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}
