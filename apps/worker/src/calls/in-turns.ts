import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maps a long list a few items at a time, and lets others have their turn in between. */
export async function eachInTurns<T, R>(
  items: readonly T[],
  perTurn: number,
  work: (item: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await nextTurn();
    results.push(work(item));
  }
  return results;
}
