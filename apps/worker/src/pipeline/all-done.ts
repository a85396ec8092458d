/** Waits until all promises have settled, then throws the first rejection in the list. So no work continues unobserved. */
export async function allDone(promises: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
