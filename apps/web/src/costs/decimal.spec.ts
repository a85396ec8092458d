import { decimalOf, parseCosts, sumOf, timesTokens, unitsOf } from './decimal.js';

describe('a decimal', () => {
  it.each(['0', '0.3', '-12.5', '0.000000000000000001', '123456789012345678901234567890.5'])(
    '%s keeps every digit',
    (text) => {
      expect(decimalOf(unitsOf(text))).toBe(text);
    },
  );

  it('may have an exponent', () => {
    expect(decimalOf(unitsOf('1.5e-7'))).toBe('0.00000015');
    expect(decimalOf(unitsOf('2E3'))).toBe('2000');
  });

  it('is added and multiplied without rounding', () => {
    expect(sumOf(['0.1', '0.2'])).toBe('0.3');
    expect(timesTokens(3, '0.1')).toBe('0.3');
  });

  it('is read from JSON as it was sent, and a text of a user stays as it is', () => {
    const json =
      '{"total_cost":0.100000000000000000001,"prompt_token_cost":2.5e-6,"op":"\\"total_cost\\":1","calls":2}';

    expect(parseCosts(json)).toEqual({
      total_cost: '0.100000000000000000001',
      prompt_token_cost: '2.5e-6',
      op: '"total_cost":1',
      calls: 2,
    });
    expect(parseCosts('{"total_cost":null}')).toEqual({ total_cost: null });
  });
});
