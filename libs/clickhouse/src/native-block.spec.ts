import { ByteWriter } from './byte-writer.js';
import { asArray, asText, asUInt8, type Table } from './columns.js';
import { insertStatement, NativeBlock } from './native-block.js';

interface Row {
  a: number;
  b: string;
  c: readonly number[];
}

const TABLE: Table<Row> = { name: 't', columns: { b: asText, a: asUInt8, c: asArray(asUInt8) } };

const ROWS: Row[] = [
  { a: 1, b: 'x', c: [7, 8] },
  { b: 'yy', a: 2, c: [9] },
];

const bytesOf = (block: NativeBlock<Row>) => Buffer.concat(block.written());

function expected(...columns: [name: string, type: string, hex: string][]): Buffer {
  const to = new ByteWriter();
  to.varUint(3);
  to.varUint(2);
  for (const [name, type, hex] of columns) {
    to.text(name);
    to.text(type);
    to.raw(Buffer.from(hex, 'hex'));
  }
  return to.written();
}

const TWO_ROWS = expected(
  ['b', 'String', '0178027979'],
  ['a', 'UInt8', '0102'],
  ['c', 'Array(UInt8)', '02000000000000000300000000000000070809'],
);

describe('a block of rows', () => {
  it('has a column after the other, in the order of the table', () => {
    const block = new NativeBlock(TABLE);
    block.add(ROWS);
    expect(insertStatement(TABLE)).toBe('INSERT INTO t (b, a, c) FORMAT Native');
    expect(bytesOf(block)).toEqual(TWO_ROWS);
  });

  it('is the same when rows are added one by one, and when it was used before', () => {
    const block = new NativeBlock(TABLE);
    block.add([{ a: 3, b: 'before', c: [1, 2, 3] }]);
    block.written();
    block.clear();
    for (const row of ROWS) block.add([row]);
    expect(bytesOf(block)).toEqual(TWO_ROWS);
    expect(bytesOf(block)).toEqual(TWO_ROWS);
  });

  it('has a large column at its place, without a copy', () => {
    const block = new NativeBlock(TABLE);
    const [large, small] = ['l'.repeat(40_000), 's'];
    block.add([
      { a: 1, b: large, c: [] },
      { a: 2, b: small, c: [5] },
    ]);
    const texts = new ByteWriter();
    for (const text of [large, small]) texts.text(text);
    expect(block.written().map(({ length }) => length)).toContain(texts.length);
    expect(bytesOf(block)).toEqual(
      expected(
        ['b', 'String', texts.written().toString('hex')],
        ['a', 'UInt8', '0102'],
        ['c', 'Array(UInt8)', '0000000000000000010000000000000005'],
      ),
    );
  });
});
