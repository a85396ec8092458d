import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maps a long list synchronously, and lets the event loop run other work after every `perTurn` items. */
export async function mapInTurns<T, R>(
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

interface GroupLimits<R> {
  readonly perTurn: number;
  readonly maxBytes: number;
  readonly bytesOf: (result: R) => number;
}

/** The same, in groups: each ends when its results have `maxBytes`. The next one begins when its consumer is done with this one. */
export async function* groupsInTurns<T, R>(
  items: readonly T[],
  work: (item: T) => R,
  { perTurn, maxBytes, bytesOf }: GroupLimits<R>,
): AsyncGenerator<R[]> {
  let group: R[] = [];
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perTurn === 0) await nextTurn();
    const result = work(item);
    group.push(result);
    bytes += bytesOf(result);
    if (bytes < maxBytes) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}
