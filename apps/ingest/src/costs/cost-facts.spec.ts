import { decimalText } from '@app/wire';
import { rounded } from './cost-facts.js';

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
    expect(rounded(decimalText(cost))).toBe(text);
  });

  it('is rounded up over the decimal point', () => {
    expect(rounded('0.9999999999999999996')).toBe('1');
    expect(rounded('12.3456789012345678905')).toBe('12.345678901234567891');
  });
});
