import { pathHash } from './path-hash.js';

describe('the hash of a path', () => {
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of %j stays what stored rows contain: %d', (path, hash) => {
    expect(pathHash(Buffer.from(path))).toBe(hash);
  });

  it('covers only the first bytes when a length is given', () => {
    expect(pathHash(Buffer.from('abc'), 1)).toBe(0xe40c292c);
  });
});
