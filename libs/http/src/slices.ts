/** After this time a long computation lets other requests run. */
const SLICE_MS = 2;
/** The first slice while others wait: enough for a small request, which would otherwise wait for a turn of each of them. */
const SHORT_SLICE_MS = 0.25;

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

let turn = 0;
let isTurnCounted = false;

/** The same number twice means that nothing else has run in between but promises. */
function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true;
    setImmediate(() => {
      isTurnCounted = false;
      turn++;
    });
  }
  return turn;
}

/** Cuts a long computation into slices. */
export class Slices {
  private end = endOfFirst();
  private turn = currentTurn();

  /** Await it between the steps: a promise for a later turn of the event loop when the slice has lasted long enough, or undefined. */
  next(): Promise<void> | undefined {
    if (performance.now() >= this.end) return this.wait();
    this.turn = currentTurn();
    return undefined;
  }

  /** Call it after something was waited for since `next`. That time is not part of the slice, unless the result was there already. */
  resume(): void {
    if (this.turn === currentTurn()) return;
    this.turn = currentTurn();
    this.end = endOfFirst();
  }

  private async wait(): Promise<void> {
    await nextSlice();
    this.end = performance.now() + SLICE_MS;
    this.turn = currentTurn();
  }
}

const endOfFirst = (): number =>
  performance.now() + (waiting.length > 0 ? SHORT_SLICE_MS : SLICE_MS);

/** As `items.map(map)`, in slices. */
export const mapInSlices = <Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> => timesInSlices(items.length, (i) => map(items[i]!));

/** The results of `make` for 0 to `count - 1`, in slices. */
export async function timesInSlices<Result>(
  count: number,
  make: (index: number) => Result,
): Promise<Result[]> {
  const slices = new Slices();
  const results: Result[] = [];
  for (let index = 0; index < count; index++) {
    const pause = slices.next();
    // Waiting for nothing would cost more than most items.
    if (pause !== undefined) await pause;
    results.push(make(index));
  }
  return results;
}
