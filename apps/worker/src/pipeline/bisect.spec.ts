import { StoreRefusedError, StoreUnavailableError } from '@app/clickhouse';
import { writeOrBisect } from './bisect.js';

/** Writes into a table that refuses every insert with one of the poisons. */
async function written(items: readonly string[], poisons: readonly string[]) {
  const [stored, deadLettered]: [string[], string[]] = [[], []];
  let inserts = 0;
  await writeOrBisect(
    items,
    async (some) => {
      inserts++;
      if (some.some((item) => poisons.includes(item))) throw new StoreRefusedError('poison', 27);
      stored.push(...some);
    },
    async (item, { message }) => deadLettered.push(`${item}: ${message}`),
  );
  return { stored, deadLettered, inserts };
}

describe('a write that ClickHouse may refuse', () => {
  it('is one insert when it is accepted', async () => {
    expect(await written(['a', 'b', 'c'], [])).toEqual({
      stored: ['a', 'b', 'c'],
      deadLettered: [],
      inserts: 1,
    });
  });

  it('stores every other item, in order, and dead-letters each refused one alone', async () => {
    const { stored, deadLettered } = await written(['a', 'b', 'c', 'd', 'e'], ['b', 'e']);

    expect(stored).toEqual(['a', 'c', 'd']);
    expect(deadLettered).toEqual(['b: poison', 'e: poison']);
  });

  it('fails as a whole while ClickHouse is unavailable, and dead-letters nothing', async () => {
    const unavailable = new StoreUnavailableError('unavailable');
    const deadLetter = () => Promise.reject(new Error('dead-lettered'));

    const write = writeOrBisect(['a', 'b'], () => Promise.reject(unavailable), deadLetter);
    await expect(write).rejects.toBe(unavailable);
  });
});
