import fc from 'fast-check';
import { prettyJson } from './payload.js';

describe('pretty JSON', () => {
  it('equals JSON.stringify with an indentation for every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps the digits of numbers and the punctuation inside strings', () => {
    expect(prettyJson('{"n":123456789012345678901.0,"t":"a , {b}: \\" [c]"}')).toBe(
      '{\n  "n": 123456789012345678901.0,\n  "t": "a , {b}: \\" [c]"\n}',
    );
    expect(prettyJson(' { "a" : [ ] , "b" : { } } ')).toBe('{\n  "a": [],\n  "b": {}\n}');
  });
});
