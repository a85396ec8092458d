import { countIn, textIn, textsIn } from './query-string.js';

describe('the parameters of a query string', () => {
  it('are a list when they are repeated', () => {
    expect(textsIn({ ids: ['a', 'b'] }, 'ids', 2)).toEqual(['a', 'b']);
    expect(textsIn({ ids: 'a' }, 'ids', 2)).toEqual(['a']);
    expect(textsIn({}, 'ids', 2)).toBeUndefined();
  });

  it('are refused when there are too many', () => {
    expect(() => textsIn({ ids: ['a', 'b', 'c'] }, 'ids', 2)).toThrow('more than 2');
    expect(() => textIn({ id: ['a', 'b'] }, 'id')).toThrow('once');
  });

  it('are counts when they are digits', () => {
    expect(countIn({ limit: '10' }, 'limit')).toBe(10);
    expect(countIn({}, 'limit')).toBeUndefined();
    for (const limit of ['', 'ten', '1e3', '1.5', '9'.repeat(16)])
      expect(() => countIn({ limit }, 'limit')).toThrow('must be an integer');
    expect(() => countIn({ limit: '-1' }, 'limit')).toThrow('must not be negative');
  });
});
