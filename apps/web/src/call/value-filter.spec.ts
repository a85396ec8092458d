import { valueFilter } from './value-filter.js';

describe('the filter for a value', () => {
  it.each([
    ['string', 'c 4', 'inputs.a = "c 4"'],
    ['number', '12.5', 'inputs.a = 12.5'],
    ['word', 'true', 'inputs.a = true'],
    ['number', '12345678901234567890123', 'inputs.a = "12345678901234567890123"'],
  ] as const)('compares a %s %s exactly', (kind, text, expected) => {
    expect(valueFilter('inputs.a', kind, text)).toBe(expected);
  });
});
