import { BlockSize } from './tables.reader.js';

const MiB = 1024 * 1024;

describe('the size of a block of rows', () => {
  it('grows while rows are small, and shrinks when they are large', () => {
    const size = new BlockSize();
    const steps = [
      [1000, 100_000],
      [4000, 400_000],
      [16_000, 1_600_000],
      [32_768, 320 * MiB],
      [819, 819 * MiB],
    ] as const;
    const sizes = steps.map(([rows, bytes]) => {
      size.adapt(rows, bytes);
      return size.rows;
    });
    expect(sizes).toEqual([4000, 16_000, 32_768, 819, 50]);
  });

  it('has the minimum of rows after an empty block', () => {
    const size = new BlockSize();
    size.adapt(0, 0);
    expect(size.rows).toBe(50);
  });
});
