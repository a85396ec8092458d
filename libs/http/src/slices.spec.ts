import { mapInSlices } from './slices.js';

function compute(ms: number): number {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
  return ms;
}

/** The turns of the event loop until the work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  void work.finally(() => (isDone = true));
  for (; !isDone; turns++) await new Promise(setImmediate);
  return turns;
}

describe('a computation in slices', () => {
  it('has the results in order', async () => {
    expect(await mapInSlices([1, 2, 3], (n) => 2 * n)).toEqual([2, 4, 6]);
  });

  it('leaves turns of the event loop to others, however many of them run', async () => {
    const items = Array<number>(10).fill(2);
    // The first slices of all begin at once; after that there is one in each turn.
    const many = Array.from({ length: 20 }, async () => {
      await new Promise(setImmediate);
      await mapInSlices(items, compute);
    });
    expect(await turnsDuring(Promise.all(many))).toBeGreaterThan(20);
  });
});
