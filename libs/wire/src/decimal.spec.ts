import fc from 'fast-check';
import { decimalText, roundedDecimal } from './decimal.js';

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

describe('a price', () => {
  it.each([
    [7 * 1e-6, '0.000007'],
    [1.5e-18, '0.000000000000000002'],
    [1.4e-18, '0.000000000000000001'],
    [1e-30, '0'],
    [0.9999999999999999, '0.9999999999999999'],
    [1234567, '1234567'],
    [0.000002, '0.000002'],
  ])('%d is stored as %s', (cost, text) => {
    expect(roundedDecimal(decimalText(cost))).toBe(text);
  });

  it('is rounded up over the decimal point', () => {
    expect(roundedDecimal('0.9999999999999999996')).toBe('1');
    expect(roundedDecimal('12.3456789012345678905')).toBe('12.345678901234567891');
  });
});
