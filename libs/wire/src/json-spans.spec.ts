import fc from 'fast-check';
import { jsonShape } from './json-shape.js';
import { elementSpans, extentOfValue, memberSpans } from './json-spans.js';

const members = (text: string) => {
  const json = Buffer.from(text);
  const found = [...memberSpans(json)].map(([key, span]) => [
    key,
    json.toString('utf8', span.start, span.end),
  ]);
  return Object.fromEntries(found) as Record<string, string>;
};

describe('the spans of a JSON text', () => {
  it('cover the exact text of every value', () => {
    expect(members(' { "a" : 1.0 , "b":{"x":[1, 2]},"c":"q\\"}","d":[ ] , "e":null}')).toEqual({
      a: '1.0',
      b: '{"x":[1, 2]}',
      c: '"q\\"}"',
      d: '[ ]',
      e: 'null',
    });
  });

  it('unescape keys, and let the last of equal keys win, as JSON.parse does', () => {
    expect(members('{"project_id":"a/mine","\\u0070roject_id":"a/victim"}')).toEqual({
      project_id: '"a/victim"',
    });
  });

  it('end a string after its last escaped backslash', () => {
    expect(members('{"a":"\\\\","b":"\\\\\\"","c":1}')).toEqual({
      a: '"\\\\"',
      b: '"\\\\\\""',
      c: '1',
    });
  });

  it('agree with JSON.parse on every value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const json = Buffer.from(JSON.stringify(value, null, 1));
        const read = [...memberSpans(json)].map(([key, { start, end }]) => [
          key,
          JSON.parse(json.toString('utf8', start, end)),
        ]);
        expect(new Map(read as [string, unknown][])).toEqual(
          new Map(Object.entries(JSON.parse(json.toString()))),
        );
      }),
    );
  });

  it('list the elements of an array in order', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const json = Buffer.from(JSON.stringify(values, null, 1));
        const read = elementSpans(json).map(
          ({ start, end }) => JSON.parse(json.toString('utf8', start, end)) as unknown,
        );
        expect(read).toEqual(JSON.parse(json.toString()));
      }),
    );
  });

  it('measure the depth of a value and find its end', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { depth } = jsonShape(Buffer.from(text), 1000)!;

        expect(extentOfValue(Buffer.from(`[${text}, [[]]]`), 1)).toEqual({
          end: 1 + Buffer.byteLength(text),
          depth,
        });
      }),
    );
  });

  it('are found in finite time for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        elementSpans(Buffer.from(bytes));
      }),
    );
  });
});
