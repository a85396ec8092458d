import { byteGroups } from './byte-groups.js';

const grouped = (sizes: readonly number[], reserved = 0) =>
  byteGroups(sizes, (size) => size, 10, reserved);

describe('groups of bytes', () => {
  it('contain every item once, in order, up to the limit', () => {
    expect(grouped([4, 4, 4, 10, 1, 9])).toEqual([[4, 4], [4], [10], [1, 9]]);
    expect(grouped([])).toEqual([[]]);
  });

  it('have an item alone that is larger than the limit', () => {
    expect(grouped([1, 30, 1])).toEqual([[1], [30], [1]]);
    expect(grouped([30])).toEqual([[30]]);
  });

  it('leave reserved space free in the first group', () => {
    expect(grouped([4, 4], 6)).toEqual([[4], [4]]);
    expect(grouped([4, 4], 20)).toEqual([[], [4, 4]]);
  });
});
