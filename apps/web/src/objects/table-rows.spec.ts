import { cellOf, cellText, columnsOf, contains, RowDigests } from './table-rows.js';

const aRow = (val: unknown) => ({ digest: 'd', val, original_index: 0 });

describe('rows of a table', () => {
  it('have a column for each key, and cells without quotes', () => {
    const rows = [aRow({ q: 'a', n: 1 }), aRow({ n: 2, more: { x: [1] } }), aRow('text')];
    expect(columnsOf(rows)).toEqual(['q', 'n', 'more']);
    expect(['q', 'more'].map((column) => cellOf(rows[1]!, column))).toEqual(['', '{"x":[1]}']);
    expect(cellOf(rows[0]!, 'q')).toBe('a');
    expect(cellOf(rows[0]!, 'toString')).toBe('');
    expect(cellText('x'.repeat(500))).toHaveLength(161);
  });

  it('are found by any part of their text', () => {
    expect(contains(aRow({ q: 'Where is LISBON?' }), 'lisbon')).toBe(true);
    expect(contains(aRow(null), 'x')).toBe(false);
  });

  it('of two tables are compared by digest, also when a row is there twice', () => {
    const digests = new RowDigests();
    for (const one of ['a', 'a', 'b', 'c']) digests.addBefore(one);
    for (const one of ['c', 'a', 'd']) digests.addAfter(one);
    expect([digests.same, digests.removed, digests.added]).toEqual([2, 2, ['d']]);
    expect(digests.removedDigests(10)).toEqual(['a', 'b']);
    expect(digests.removedDigests(1)).toEqual(['a']);
  });
});
