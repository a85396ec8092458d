import { timestampOfId } from './calls.reader.js';

describe('the timestamp of an id', () => {
  it('is part of a UUID of version 7, in either case', () => {
    const id = '019c936e-387b-7abc-8def-0123456789ab';

    expect(timestampOfId(id)).toBe(1_772_000_000_123_000);
    expect(timestampOfId(id.toUpperCase())).toBe(1_772_000_000_123_000);
  });

  it.each([
    ['of another version', '019c9a6e-8d80-4abc-8def-0123456789ab'],
    ['of another variant', '019c9a6e-8d80-7abc-cdef-0123456789ab'],
    ['of a span', '00f067aa0ba902b7'],
    ['with more behind it', '019c9a6e-8d80-7abc-8def-0123456789ab-1'],
    ['of no kind', 'c1'],
  ])('is unknown for an id %s', (_, id) => {
    expect(timestampOfId(id)).toBeUndefined();
  });
});
