import { setImmediate as nextTurn } from 'node:timers/promises';

/** After this time a long computation lets other requests run. */
const SLICE_MS = 10;

/** Resolves at once, or after a turn of the event loop when the current slice has lasted long enough. */
export type Yield = () => Promise<void>;

/** Cuts a long computation into slices: await the result between its steps. */
export function slices(): Yield {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE_MS) return;
    await nextTurn();
    begun = performance.now();
  };
}

/** As `items.map(map)`, in slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const sliced = slices();
  const results: Result[] = [];
  for (const item of items) {
    await sliced();
    results.push(map(item));
  }
  return results;
}
