import fc from 'fast-check';
import { decimalText } from './decimal.js';

describe('a number as decimal text', () => {
  it.each([
    [0, '0'],
    [1.5e-7, '0.00000015'],
    [2.5e-6, '0.0000025'],
    [3e-8, '0.00000003'],
    [12.5, '12.5'],
    [1e21, '1000000000000000000000'],
    [1.25e22, '12500000000000000000000'],
    [-1.5e-7, '-0.00000015'],
  ])('prints %d as %s', (value, text) => expect(decimalText(value)).toBe(text));

  it('means the same number and has no exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimalText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value + 0);
      }),
    );
  });
});
