import { mapInSlices } from './slices.js';

function compute(ms: number): number {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
  return ms;
}

/** The longest time between two turns of the event loop until the work is done. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isDone = false;
  void work.finally(() => (isDone = true));
  while (!isDone) {
    await new Promise(setImmediate);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
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
    const all = Promise.all(many);
    await new Promise(setImmediate);
    await new Promise(setImmediate);

    expect(await longestTurn(all)).toBeLessThan(100);
  });
});
