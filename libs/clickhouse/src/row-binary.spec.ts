import fc from 'fast-check';
import { micros } from '@app/wire';
import {
  asArray,
  asBool,
  asEncodedMap,
  asEnum8,
  asFloat64,
  asId16,
  asInt64,
  asMicros,
  asText,
  asUInt32,
  asUInt64,
  asUInt8,
  ByteWriter,
  encodeRows,
  insertStatement,
  type Write,
} from './row-binary.js';

const bytesOf = <T>(write: Write<T>, value: T): Buffer => {
  const to = new ByteWriter();
  write(to, value);
  return to.written();
};
const hexOf = <T>(write: Write<T>, value: T) => bytesOf(write, value).toString('hex');

describe('a value as RowBinary', () => {
  it.each([
    ['a small number', hexOf(asUInt8, 200), 'c8'],
    ['true', hexOf(asBool, true), '01'],
    ['false', hexOf(asBool, false), '00'],
    ['a number of four bytes', hexOf(asUInt32, 0xdead_beef), 'efbeadde'],
    ['a number of eight bytes', hexOf(asUInt64, 1), '0100000000000000'],
    ['a number beyond 2^32', hexOf(asUInt64, 2 ** 32 + 5), '0500000001000000'],
    ['the last safe integer', hexOf(asUInt64, Number.MAX_SAFE_INTEGER), 'ffffffffffff1f00'],
    ['2^62', hexOf(asUInt64, 2n ** 62n), '0000000000000040'],
    ['2^64 - 1', hexOf(asUInt64, 2n ** 64n - 1n), 'ffffffffffffffff'],
    ['minus one', hexOf(asInt64, -1), 'ffffffffffffffff'],
    ['minus 2^63', hexOf(asInt64, -(2n ** 63n)), '0000000000000080'],
    ['a fraction', hexOf(asFloat64, -1.5), '000000000000f8bf'],
    ['a timestamp', hexOf(asMicros, micros(1_772_359_200_123_456)), '40aa8988f34b0600'],
    ['an enum', hexOf(asEnum8({ start: 1, end: 2 }), 'end'), '02'],
    [
      '16 bytes',
      hexOf(asId16, '00112233445566778899aabbccddeeff'),
      '00112233445566778899aabbccddeeff',
    ],
    ['no text', hexOf(asText, ''), '00'],
    ['text', hexOf(asText, 'aé'), '0361c3a9'],
    ['bytes', hexOf(asText, Buffer.from([0, 255])), '0200ff'],
    ['a list', hexOf(asArray<string>(asText), ['a', '']), '02016100'],
    ['an empty list', hexOf(asArray(asUInt8), []), '00'],
    ['a map', hexOf(asEncodedMap, { size: 1, bytes: Buffer.from('016b01', 'hex') }), '01016b01'],
  ])('is encoded exactly: %s', (_what, hex, expected) => {
    expect(hex).toBe(expected);
  });

  it.each([
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [2_097_152, '80808001'],
    [2 ** 31, '8080808008'],
    [2 ** 32 - 1, 'ffffffff0f'],
  ])('has its length %s as a prefix: %s', (length, hex) => {
    expect(hexOf((to, value: number) => to.varUint(value), length)).toBe(hex);
  });

  it.each([
    ['a negative count', () => hexOf(asUInt64, -1)],
    ['a count beyond 2^64', () => hexOf(asUInt64, 1e300)],
    ['a step beyond 2^63', () => hexOf(asInt64, 1e300)],
    ['half a step', () => hexOf(asInt64, 0.5)],
  ])('is refused when it does not fit its type: %s', (_what, write) => {
    expect(write).toThrow();
  });

  it('does not depend on the size of the buffer', () => {
    const values = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(500))));

    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 64 }), (texts, capacity) => {
        const small = new ByteWriter(capacity);
        const large = new ByteWriter();
        for (const to of [small, large]) asArray<string>(asText)(to, texts);
        expect(small.written()).toEqual(large.written());
        expect(small.length).toBe(large.written().length);
      }),
    );
  });

  it('prefixes a string with its length in bytes, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text);
        const length = bytesOf((to, value: number) => to.varUint(value), bytes.length);
        expect(bytesOf(asText, text)).toEqual(Buffer.concat([length, bytes]));
      }),
    );
    expect(hexOf(asText, '\ud800')).toBe('03efbfbd');
  });
});

describe('a table', () => {
  interface Row {
    a: number;
    b: string;
  }
  const table = { name: 't', columns: { b: asText, a: asUInt8 } as const };

  it('defines the column names of the insert and the order of the values', () => {
    const rows: Row[] = [
      { a: 1, b: 'x' },
      { b: 'yy', a: 2 },
    ];

    expect(insertStatement<Row>(table)).toBe('INSERT INTO t (b, a) FORMAT RowBinary');
    expect(encodeRows<Row>(table, rows).toString('hex')).toBe('01780102797902');
  });
});
