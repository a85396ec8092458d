import fc from 'fast-check';
import { jsonShape } from './json-shape.js';
import { extentOfValue } from './json-spans.js';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const shape = (text: string) => jsonShape(Buffer.from(text), 200);

/** JSON with a few characters inserted, removed or replaced: almost valid rather than noise. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\ \n\t\u0001-+.0e1tnuabf/é'), fc.nat(2)),
      {
        maxLength: 3,
      },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [position, character, removed]) => {
      const at = position % (now.length + 1);
      return now.slice(0, at) + character + now.slice(at + removed);
    }, text),
  );

describe('the shape of a JSON text', () => {
  it('is defined exactly for the texts that JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.oneof(almostJson, fc.string()), (text) => {
        expect([text, shape(text) !== undefined]).toEqual([text, isJson(text)]);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is the same wherever the text is in memory, and whatever its strings contain', () => {
    const character = fc.oneof(
      { arbitrary: fc.constantFrom('a', 'é', '語', '\u007f', '\u0080', '!', '#', ']'), weight: 8 },
      { arbitrary: fc.constantFrom('"', '\\', '\\"', '\\n', '\u001f', '\u0000', '\n'), weight: 1 },
    );
    const string = fc.array(character, { maxLength: 40 }).map((all) => `"${all.join('')}"`);
    fc.assert(
      fc.property(fc.array(string, { maxLength: 3 }), fc.nat(7), (strings, offset) => {
        const text = `[${strings.join(',')}]`;
        const bytes = Buffer.from(`${'"'.repeat(offset)}${text}"`).subarray(offset, -1);
        expect([text, jsonShape(bytes, 200) !== undefined]).toEqual([text, isJson(text)]);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(
    `01 1. .5 -  -0 1e 1e+ 1E-5 +1 0x1 NaN tru truex nulll "\\x" "\\u12g4" "\\u12" "a [1,] [,1] [1 2] {"a"} {"a":} {"a":1,}
     {a:1} {"a":1}} [[]]] "\\ud800" -0.0e-0 00 {"":[]} [{},[]]`.split(/\s+/),
  )('agrees with JSON.parse about %s', (text) => {
    expect(shape(text) !== undefined).toBe(isJson(text));
  });

  it('counts levels and parts', () => {
    expect(shape('1')).toEqual({ depth: 0, parts: 0, keys: 0 });
    expect(shape('[1,{"a":[]},"[,"]')).toEqual({ depth: 3, parts: 5, keys: 1 });
  });

  it('counts the keys of the object that has most of them', () => {
    expect(shape('{}')).toMatchObject({ keys: 0 });
    expect(shape('[1,2,3]')).toMatchObject({ keys: 0 });
    expect(shape('{"a":{"b":1,"c":2,"c":3},"d":[{"e":1}]}')).toMatchObject({ keys: 3 });
    expect(shape('{"a":[1,2,3,4],"b":{}}')).toMatchObject({ keys: 2 });
  });

  it('stops the scan at the first container that is too deep', () => {
    expect(shape('['.repeat(100_000))).toMatchObject({ depth: 201 });
  });

  it('tells an observer of every key and every container', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const json = Buffer.from(text);
        const seen = { keys: 0, open: [] as number[], deepest: 0 };
        const shape = jsonShape(json, 200, {
          key: (start, end, value) => {
            seen.keys++;
            expect(typeof JSON.parse(json.toString('utf8', start, end))).toBe('string');
            expect(json.toString('utf8', end, value).trim()).toBe(':');
          },
          opened: (start, depth) => {
            seen.deepest = Math.max(seen.deepest, seen.open.push(start));
            expect(seen.open).toHaveLength(depth);
          },
          closed: (end, depth, levels) => {
            expect(seen.open).toHaveLength(depth);
            expect(extentOfValue(json, seen.open.pop()!)).toEqual({ end, depth: levels });
          },
        });

        expect(seen).toMatchObject({ open: [], deepest: shape!.depth });
        expect(seen.keys).toBe(keysIn(JSON.parse(text)));
      }),
    );
  });
});

function keysIn(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, inner) => sum + keysIn(inner), own);
}
