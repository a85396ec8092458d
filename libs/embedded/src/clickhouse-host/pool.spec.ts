import { Pool } from './pool.js';

describe('the pool', () => {
  it('lends each thing to one piece of work at a time', async () => {
    const made: number[] = [];
    const pool = new Pool(() => made.push(made.length), 2);
    const busy = new Set<number>();
    const work = (item: number) => {
      expect(busy.has(item)).toBe(false);
      busy.add(item);
      return Promise.resolve().then(() => busy.delete(item));
    };
    await Promise.all(Array.from({ length: 20 }, () => pool.lend(work)));
    expect(made).toHaveLength(2);
  });

  it('takes back what failing work was lent', async () => {
    const pool = new Pool(() => 'one', 1);
    await expect(pool.lend(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(pool.lend((item) => Promise.resolve(item))).resolves.toBe('one');
  });
});
