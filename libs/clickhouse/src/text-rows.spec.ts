import fc from 'fast-check';
import { ByteWriter } from './byte-writer.js';
import { TextRows } from './text-rows.js';

const text = fc.oneof(fc.string(), fc.string({ minLength: 120, maxLength: 140 }));
const rowsOf = (columns: number) =>
  fc.array(fc.array(text, { minLength: columns, maxLength: columns }), { maxLength: 20 });

function encoded(rows: readonly (readonly string[])[]): Buffer {
  const to = new ByteWriter();
  for (const row of rows) for (const one of row) to.text(one);
  return Buffer.from(to.written());
}

function read(columns: number, pieces: readonly Buffer[]): string[][] {
  const rows = new TextRows(columns);
  const found = pieces.flatMap((piece) => [...rows.add(piece)]);
  rows.end();
  return found.map((row) => row.map(String));
}

describe('rows of texts', () => {
  it('are the same, wherever their bytes are cut', () => {
    fc.assert(
      fc.property(rowsOf(3), fc.array(fc.nat(200), { maxLength: 30 }), (rows, cuts) => {
        const bytes = encoded(rows);
        const ends = [...cuts, bytes.length].filter((end) => end <= bytes.length);
        const sorted = ends.sort((a, b) => a - b);
        const pieces = sorted.map((end, i) => bytes.subarray(sorted[i - 1] ?? 0, end));

        expect(read(3, pieces)).toEqual(rows);
      }),
    );
  });

  it('are refused when the last of them is incomplete', () => {
    const bytes = encoded([['a', 'x'.repeat(300)]]);
    for (const length of [1, 2, 3, 4, bytes.length - 1])
      expect(() => read(2, [bytes.subarray(0, length)])).toThrow(/ended within a row/);
    expect(read(2, [])).toEqual([]);
  });

  it('are announced before their memory is reserved', () => {
    const bytes = encoded([['ab', 'x'.repeat(300)]]);
    const lengths: number[] = [];
    const rows = new TextRows(2, (length) => {
      lengths.push(length);
      if (length > 100) throw new Error('too many bytes');
    });

    expect(() => [...rows.add(bytes)]).toThrow('too many bytes');
    expect(lengths).toEqual([2, 300]);
  });
});
