import { micros } from '@app/wire';
import { ByteWriter } from './byte-writer.js';
import {
  asArray,
  asBool,
  asDecimal18,
  asEncodedMap,
  asEnum8,
  asFloat64,
  asId16,
  asInt64,
  asMap,
  asMicros,
  asText,
  asTuple,
  asUInt32,
  asUInt64,
  asUInt8,
  type Column,
} from './columns.js';

/** The streams of a column with these values, as hex. */
function hexOf<T>({ streams, write }: Column<T>, ...values: readonly T[]): string {
  const to = Array.from({ length: streams }, () => new ByteWriter(1));
  for (const value of values) write(to, 0, value);
  return to.map((stream) => stream.written().toString('hex')).join(' ');
}

const end = (count: number) => hexOf(asUInt64, count);

describe('a value', () => {
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
    ['a decimal', hexOf(asDecimal18, '-0.000000000000000002'), `fe${'ff'.repeat(15)}`],
    ['a list', hexOf(asArray(asText), ['a', '']), `${end(2)} 016100`],
    ['three lists', hexOf(asArray(asUInt8), [1, 2], [], [3]), `${end(2)}${end(2)}${end(3)} 010203`],
    ['an empty list', hexOf(asArray(asUInt8), []), `${end(0)} `],
    [
      'a list of lists',
      hexOf(asArray(asArray(asUInt8)), [[1], [2]]),
      `${end(2)} ${end(1)}${end(2)} 0102`,
    ],
    ['a map', hexOf(asMap(asUInt8), new Map([['k', 1]])), `${end(1)} 016b 01`],
    [
      'an encoded map',
      hexOf(asEncodedMap(asBool), {
        size: 1,
        keys: { bytes: Buffer.from('ff016bff', 'hex'), start: 1, end: 3 },
        values: { bytes: Buffer.from([1]), start: 0, end: 1 },
      }),
      `${end(1)} 016b 01`,
    ],
    ['a tuple', hexOf(asTuple({ a: asUInt8, b: asText }), { b: 'x', a: 7 }), '07 0178'],
  ])('is encoded exactly: %s', (_what, hex, expected) => {
    expect(hex).toBe(expected);
  });

  it.each([
    ['a negative count', () => hexOf(asUInt64, -1)],
    ['a count beyond 2^64', () => hexOf(asUInt64, 1e300)],
    ['a step beyond 2^63', () => hexOf(asInt64, 1e300)],
    ['half a step', () => hexOf(asInt64, 0.5)],
  ])('is refused when it does not fit its type: %s', (_what, write) => {
    expect(write).toThrow();
  });

  it('has the type of its column', () => {
    expect(asEnum8({ start: 1, end: 2 }).type).toBe("Enum8('start' = 1, 'end' = 2)");
    expect(asArray(asArray(asUInt32)).type).toBe('Array(Array(UInt32))');
    expect(asMap(asInt64).type).toBe('Map(String, Int64)');
    expect(asTuple({ a: asMicros, b: asId16 }).type).toBe(
      "Tuple(a DateTime64(6, 'UTC'), b FixedString(16))",
    );
  });
});
