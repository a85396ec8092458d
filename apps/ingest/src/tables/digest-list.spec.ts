import fc from 'fast-check';
import { tableDigest } from '@app/digests';
import { decodeDigestList } from '@app/events';
import { digestList } from './digest-list.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('a list of row digests', () => {
  it('is the same as its strings, in parts', () => {
    const digest = fc.stringMatching(/^\S{1,128}$/u).filter((text) => /^\S{1,128}$/.test(text));
    fc.assert(
      fc.property(fc.array(digest), fc.integer({ min: 1, max: 300 }), (digests, partMaxBytes) => {
        const list = digestList(bytes(digests), partMaxBytes);

        const read = list.parts.flatMap(({ body }) => decodeDigestList(body));
        expect({ digest: list.digest, count: list.count, read }).toEqual({
          digest: tableDigest(digests),
          count: digests.length,
          read: digests,
        });
        for (const { from, body } of list.parts) {
          const [first] = decodeDigestList(body);
          expect(first).toBe(digests[from]);
        }
      }),
    );
  });

  it('may have spaces between its digests, and escapes in them', () => {
    const { digest, count } = digestList(Buffer.from('[ "a\\u0062" ,\n"c" ]'), 100);

    expect({ digest, count }).toEqual({ digest: tableDigest(['ab', 'c']), count: 2 });
  });

  it.each([
    ['an empty digest', ['a', ''], 'row_digests[1] is not a digest.'],
    ['a space in a digest', ['a b'], 'row_digests[0] is not a digest.'],
    ['an escaped line break in a digest', ['a\nb'], 'row_digests[0] is not a digest.'],
    ['a long digest', ['a'.repeat(129)], 'row_digests[0] is not a digest.'],
    ['a number', ['a', 1], 'must be a list of strings'],
    ['an object', { a: 1 }, 'must be a list of strings'],
  ])('refuses %s', (_, digests, message) => {
    expect(() => digestList(bytes(digests), 100)).toThrow(message);
  });
});
