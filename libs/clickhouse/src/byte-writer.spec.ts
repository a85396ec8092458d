import fc from 'fast-check';
import { ByteWriter } from './byte-writer.js';

function bytesOf(write: (to: ByteWriter) => void, capacity?: number): Buffer {
  const to = new ByteWriter(capacity);
  write(to);
  return to.written();
}

describe('the writer of bytes', () => {
  it.each([
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [16_383, 'ff7f'],
    [16_384, '808001'],
    [2_097_152, '80808001'],
    [2 ** 31, '8080808008'],
    [2 ** 32 - 1, 'ffffffff0f'],
  ])('writes the length %s as %s', (length, hex) => {
    expect(bytesOf((to) => to.varUint(length)).toString('hex')).toBe(hex);
  });

  it('does not depend on the size of the buffer', () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(500)), fc.string()),
    );

    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 64 }), (values, capacity) => {
        const write = (to: ByteWriter) => values.forEach((value) => to.text(value));
        expect(bytesOf(write, capacity)).toEqual(bytesOf(write));
      }),
    );
  });

  it('prefixes a text with its length in bytes, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 60 })), (text) => {
        const bytes = Buffer.from(text);
        const length = bytesOf((to) => to.varUint(bytes.length));
        expect(bytesOf((to) => to.text(text))).toEqual(Buffer.concat([length, bytes]));
      }),
    );
    expect(bytesOf((to) => to.text('\ud800')).toString('hex')).toBe('03efbfbd');
  });

  it('writes a text once, also when its last character needs several bytes', () => {
    const text = `${'a'.repeat(47)}é`;
    expect(bytesOf((to) => to.text(text))).toEqual(
      Buffer.concat([Buffer.from([49]), Buffer.from(text)]),
    );
  });

  it('writes where each list ends, from the beginning after it was cleared', () => {
    const to = new ByteWriter();
    to.endOfList(2);
    to.endOfList(3);
    expect([0, 8].map((at) => to.written().readBigUInt64LE(at))).toEqual([2n, 5n]);
    to.clear();
    to.endOfList(1);
    expect(to.written().readBigUInt64LE()).toBe(1n);
  });
});
