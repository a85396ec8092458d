import { setTimeout as pause } from 'node:timers/promises';
import { readAhead } from './read-ahead.js';

/** Numbers up to a maximum, how many were read, and whether the source was closed. */
function numbers(max: number) {
  const source = { read: 0, isClosed: false };
  async function* items(): AsyncGenerator<number, void> {
    try {
      while (source.read < max) {
        await Promise.resolve();
        yield source.read++;
      }
    } finally {
      source.isClosed = true;
    }
  }
  return { source, items: items() };
}

const options = (patienceMs: number) => ({
  maxBytes: 10,
  sizeOf: () => 1,
  patienceMs: () => patienceMs,
});

async function collected(items: AsyncGenerator<number, boolean>): Promise<[number[], boolean]> {
  const read: number[] = [];
  for (let next = await items.next(); ; next = await items.next()) {
    if (next.done) return [read, next.value];
    read.push(next.value);
  }
}

describe('reading ahead', () => {
  it('closes a source that is over, after an item', async () => {
    const { source, items } = numbers(1000);
    const over = { ...options(60_000), isOver: () => source.read === 3 };

    expect(await collected(readAhead(items, over))).toEqual([[0, 1, 2], false]);
    expect(source.isClosed).toBe(true);
  });

  it('gives every item in order to a fast consumer', async () => {
    const { source, items } = numbers(1000);

    expect(await collected(readAhead(items, options(60_000)))).toEqual([
      Array.from({ length: 1000 }, (_, i) => i),
      true,
    ]);
    expect(source.isClosed).toBe(true);
  });

  it('closes the source when the consumer is slow, and gives what was read by then', async () => {
    const { source, items } = numbers(1000);
    const ahead = readAhead(items, options(20));
    await ahead.next();
    await pause(100);

    expect(source).toEqual({ read: 11, isClosed: true });
    expect(await collected(ahead)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], false]);
  });

  it('counts the waiting of a consumer that reads slowly but steadily', async () => {
    const { source, items } = numbers(1000);
    const ahead = readAhead(items, options(50));
    for (let i = 0; i < 40 && !source.isClosed; i++) {
      await ahead.next();
      await pause(10);
    }

    expect(source.isClosed).toBe(true);
    await ahead.return(false);
  });

  it('fails where its source fails, after the items before', async () => {
    async function* failing(): AsyncGenerator<number, void> {
      yield 1;
      await pause(1);
      throw new Error('the statement failed');
    }
    const ahead = readAhead(failing(), options(60_000));

    expect(await ahead.next()).toEqual({ done: false, value: 1 });
    await expect(ahead.next()).rejects.toThrow('the statement failed');
  });

  it('closes its source when the consumer stops', async () => {
    const { source, items } = numbers(1000);
    const ahead = readAhead(items, options(10_000));
    await ahead.next();
    await ahead.return(false);

    expect(source.isClosed).toBe(true);
  });
});
