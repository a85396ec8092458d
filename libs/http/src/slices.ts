/** After this time a long computation lets other requests run. */
const SLICE_MS = 2;

/** Computations that wait for their next slice, in the order in which they began to wait. */
const waiting: (() => void)[] = [];

/** One slice in each turn of the event loop: with many computations, all other requests still get every second turn. */
function runNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(runNext);
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runNext);
  });
}

/** A promise for a later turn of the event loop when the current slice has lasted long enough, or undefined. */
export type Yield = () => Promise<void> | undefined;

/** Cuts a long computation into slices: await the result between its steps. */
export function slices(): Yield {
  // One that begins while others wait is not faster than they are.
  let begun = waiting.length > 0 ? -Infinity : performance.now();
  return () => {
    if (performance.now() - begun < SLICE_MS) return undefined;
    return nextSlice().then(() => {
      begun = performance.now();
    });
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
    const pause = sliced();
    // Waiting for nothing would cost more than most items.
    if (pause !== undefined) await pause;
    results.push(map(item));
  }
  return results;
}
