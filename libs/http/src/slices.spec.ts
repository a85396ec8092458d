import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { mapInSlices, Slices } from './slices.js';

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
  for (; !isDone; turns++) await nextTurn();
  return turns;
}

/** Long computations, all of which have begun. */
async function manyLong(): Promise<{ readonly work: Promise<unknown> }> {
  const items = Array<number>(10).fill(2);
  const many = Array.from({ length: 20 }, () => mapInSlices(items, compute));
  await nextTurn();
  return { work: Promise.all(many) };
}

describe('a computation in slices', () => {
  it('has the results in order', async () => {
    expect(await mapInSlices([1, 2, 3], (n) => 2 * n)).toEqual([2, 4, 6]);
  });

  it('leaves turns of the event loop to others, however many of them run', async () => {
    const { work } = await manyLong();
    expect(await turnsDuring(work)).toBeGreaterThan(20);
  });

  it('does not wait behind long ones when it is short', async () => {
    const { work } = await manyLong();
    const short = mapInSlices([1], (n) => n);
    expect(await Promise.race([short, nextTurn('waits')])).toEqual([1]);

    const long = mapInSlices([1, 1, 1], compute);
    expect(await Promise.race([long, nextTurn('waits')])).toBe('waits');
    await Promise.all([work, long]);
  });

  it('does not count the time in which it waits for something else', async () => {
    const { work } = await manyLong();
    const slices = new Slices();
    void slices.next();
    await sleep(5);
    slices.resume();
    expect(slices.next()).toBeUndefined();
    await work;
  });

  it('counts what it computes from results that have arrived already', async () => {
    const slices = new Slices();
    void slices.next();
    compute(3);
    await Promise.resolve();
    slices.resume();
    expect(slices.next()).toBeDefined();
  });
});
