import { listIn, listText } from './search-list.js';

describe('a list in an address', () => {
  it('is read as it was written', () => {
    const list = ['a', 'with,comma', 'with%percent', 'é . *', '%E0%A4%A'];
    expect(listIn(listText(list))).toEqual(list);
    expect(listIn(listText([]))).toEqual([]);
    expect(listIn(undefined)).toEqual([]);
  });

  it('is bounded, and leaves out what is no text', () => {
    const many = Array.from({ length: 150 }, (_, n) => `item ${n}`);
    expect(listIn(listText(many))).toEqual(many.slice(50));
    expect(listIn('%E0%A4%A,,a')).toEqual(['a']);
  });
});
