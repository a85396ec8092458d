import fc from 'fast-check';
import { withMember, withoutMembers } from './json-members.js';

describe('editing the members of a JSON object', () => {
  it.each([
    ['{}', '{"w":1}'],
    [' { } ', ' { "w":1}'],
    ['{ "a" : 1.0 , "a":2 }', '{ "a" : 1.0 , "a":2 ,"w":1}'],
    ['{"w":0,"a":1}', '{"a":1,"w":1}'],
    ['{"a":1,"\\u0077":{"x":"}"} }', '{"a":1,"w":1}'],
  ])('adds a member to %s without changing the rest of the text', (object, expected) => {
    expect(withMember(object, 'w', '1')).toBe(expected);
  });

  it('adds a member that JSON.parse reads back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, value) => {
        const text = withMember(JSON.stringify(object, null, 1), 'w', JSON.stringify(value));
        const expected = {
          ...(JSON.parse(JSON.stringify(object)) as object),
          w: JSON.parse(JSON.stringify(value)) as unknown,
        };
        expect(new Map(Object.entries(JSON.parse(text) as object))).toEqual(
          new Map(Object.entries(expected)),
        );
      }),
    );
  });

  it('removes members without changing the text of the others', () => {
    expect(withoutMembers('{"a": 1.0,"b":2,"c" :[ ]}', ['b'])).toEqual(['"a": 1.0', '"c" :[ ]']);
  });
});
