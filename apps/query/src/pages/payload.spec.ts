import fc from 'fast-check';
import { prettyJson } from './payload.js';

describe('pretty JSON', () => {
  it('is what everybody prints, for what everybody can print', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps the digits and the marks inside texts', () => {
    expect(prettyJson('{"n":123456789012345678901.0,"t":"a , {b}: \\" [c]"}')).toBe(
      '{\n  "n": 123456789012345678901.0,\n  "t": "a , {b}: \\" [c]"\n}',
    );
    expect(prettyJson(' { "a" : [ ] , "b" : { } } ')).toBe('{\n  "a": [],\n  "b": {}\n}');
  });
});
