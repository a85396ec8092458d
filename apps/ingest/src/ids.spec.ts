import fc from 'fast-check';
import { millis } from '@app/wire';
import { uuidOf, uuidv7 } from './ids.js';

describe('an id that the server makes', () => {
  const ms = fc.integer({ min: 0, max: 2 ** 48 - 1 });

  it('is a UUID of version 7', () => {
    expect(uuidv7(millis(0x0195_5061_4b7b), Buffer.alloc(10, 0xff))).toBe(
      '01955061-4b7b-7fff-bfff-ffffffffffff',
    );
    expect(uuidv7(millis(0), Buffer.alloc(10))).toBe('00000000-0000-7000-8000-000000000000');
  });

  it('sorts by time', () => {
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        fc.pre(a !== b);
        expect(uuidv7(millis(a)) < uuidv7(millis(b))).toBe(a < b);
      }),
    );
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => uuidv7(millis(1)))).size).toBe(1000);
  });
});

describe('an id that a retry gets again', () => {
  it('is the same UUID for the same values', () => {
    expect(uuidOf('ann', 'r1', 0, 'call')).toBe(uuidOf('ann', 'r1', 0, 'call'));
    expect(uuidOf('ann', 'r1', 0, 'call')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('differs for other values, also when their texts joined are the same', () => {
    const values = fc.array(fc.oneof(fc.string(), fc.nat()));

    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(uuidOf(...a) === uuidOf(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    expect(uuidOf('ab', 'c')).not.toBe(uuidOf('a', 'bc'));
    expect(uuidOf('1')).not.toBe(uuidOf(1));
  });
});
