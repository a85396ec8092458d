import fc from 'fast-check';
import { pathHash } from '@app/wire';
import { decodedMap } from '../../../../test/support/encoded-map.js';
import { PayloadScan } from './payload-scan.js';

describe('refs', () => {
  const refsIn = (value: unknown) =>
    new PayloadScan().add('inputs', Buffer.from(JSON.stringify(value)));
  const isRef = (text: string) => refsIn(text).includes(text);

  it.each([
    'weave:///acme/demo/object/cfg:abc',
    'weave:///acme/demo/op/run:v1/atr/x/key/y',
    'weave:///acme/demo/table/abc123',
    'weave:///acme/demo/call/0198',
    'weave:///acme/demo/agent_turn/t1',
    'wandb-artifact:///acme/demo/model:v3',
  ])('are found: %s', (ref) => {
    expect(isRef(ref)).toBe(true);
  });

  it.each([
    '',
    'w',
    'weave:///acme/demo/object/cfg',
    'weave:///acme/object/cfg:abc',
    'weave:///acme/demo/object/cfg:abc and more',
    ' weave:///acme/demo/object/cfg:abc',
    'https:///acme/demo/object/cfg:abc',
  ])('are not found in %j', (text) => {
    expect(isRef(text)).toBe(false);
  });

  it('are distinct, in order of appearance, at any depth, but never in a key', () => {
    const [a, b] = ['weave:///a/b/op/x:1', 'weave:///a/b/op/y:1'];

    expect(refsIn({ first: [b, { deep: a }], [a]: 1, again: b, none: null })).toEqual([b, a]);
  });

  it('are those of the last of equal keys', () => {
    const json = '{"a":"weave:///a/b/op/x:1","a":"weave:///a/b/op/y:1"}';

    expect(new PayloadScan().add('inputs', Buffer.from(json))).toEqual(['weave:///a/b/op/y:1']);
  });

  it('are found in spite of escapes', () => {
    const found = new PayloadScan().add(
      'inputs',
      Buffer.from(String.raw`["weave:\/\/\/a\/b\/op\/x:1","\u0077eave:///a/b/op/y:1"]`),
    );

    expect(found).toEqual(['weave:///a/b/op/x:1', 'weave:///a/b/op/y:1']);
  });
});

/** The expected result of JSON.parse(JSON.stringify(of)); V8 13.6 and 14.6 misread escaped keys (nodejs/node#63785). */
function asPrinted(of: unknown): unknown {
  if (typeof of === 'number') return Number.isFinite(of) ? of + 0 : null;
  if (Array.isArray(of)) return of.map(asPrinted);
  if (of === null || typeof of !== 'object') return of;
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, asPrinted(value)]));
}

/** The same computed from parsed values: slow, and obviously right where no key is repeated. */
function plainLeaves(
  path: string,
  value: unknown,
  found = { all: {} as Leaf, unindexedPaths: [] as number[] },
) {
  const fits =
    typeof value === 'string'
      ? value.length <= 256 && value.isWellFormed()
      : typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (!fits || (typeof value === 'object' && value !== null)) {
    found.unindexedPaths.push(pathHash(Buffer.from(path)));
  }
  if (!fits) return found;
  if (typeof value !== 'object') found.all[path] = value as Leaf[string];
  else {
    for (const [key, part] of Object.entries(value ?? {})) {
      plainLeaves(`${path}.${key.replace(/[.\\]/g, '\\$&')}`, part, found);
    }
  }
  return found;
}

type Leaf = Record<string, string | number | boolean>;

const scan = new PayloadScan();
const leaves = (json: string) => {
  scan.add('inputs', Buffer.from(json));
  const { strings, numbers, booleans, unindexedPaths, isComplete } = scan.drain();
  const maps = [decodedMap(strings, 's'), decodedMap(numbers, 'n'), decodedMap(booleans, 'b')];
  return { all: Object.fromEntries(maps.flatMap((map) => [...map])), unindexedPaths, isComplete };
};

const hashes = (...paths: string[]) => paths.map((path) => pathHash(Buffer.from(path)));

describe('leaves', () => {
  it('are the scalars by path, with dots and backslashes of keys escaped', () => {
    expect(leaves('{"a":[{"b.c":"x"},true],"d\\\\":1.5,"":"","n":null,"o":{}}')).toEqual({
      all: {
        'inputs.a.0.b\\.c': 'x',
        'inputs.a.1': true,
        'inputs.d\\\\': 1.5,
        'inputs.': '',
      },
      unindexedPaths: hashes('inputs', 'inputs.a', 'inputs.a.0', 'inputs.o'),
      isComplete: true,
    });
    expect(leaves('"whole"').all).toEqual({ inputs: 'whole' });
    expect(leaves('{"__proto__":{"x":1}}').all).toEqual({ 'inputs.__proto__.x': 1 });
  });

  it.each([
    '9007199254740993',
    '-123456789012345678901234567890',
    '1e400',
    '"\\ud800"',
    JSON.stringify('x'.repeat(257)),
  ])('do not include %s, whose path is unindexed', (value) => {
    expect(leaves(`{"odd":${value},"even":1}`)).toEqual({
      all: { 'inputs.even': 1 },
      unindexedPaths: hashes('inputs', 'inputs.odd'),
      isComplete: true,
    });
  });

  it('are the same however the JSON text is formatted', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('a.b', 'é', '\\', '"', '__proto__', '1', ''));
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({
        minLength: 250,
        maxLength: 260,
        unit: fc.constantFrom('x', 'é', '東', '\n', '😀'),
      }),
      fc.double(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 20, noNullPrototype: true }),
      ),
    }));
    const escaped = (text: string) =>
      text.replace(
        /[^\x20-\x7e]/g,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    const print = fc.constantFrom(
      (of: unknown) => JSON.stringify(of),
      (of: unknown) => JSON.stringify(of, null, 2),
      (of: unknown) => escaped(JSON.stringify(of)),
    );
    fc.assert(
      fc.property(value, print, (of, printed) => {
        const json = printed(of);
        const { all, unindexedPaths } = plainLeaves('inputs', asPrinted(of));
        const found = leaves(json);
        expect({ ...found, unindexedPaths: new Set(found.unindexedPaths) }).toEqual({
          all,
          unindexedPaths: new Set(unindexedPaths),
          isComplete: true,
        });
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['{"a":1,"b":{"x":1,"x":2}}', String.raw`{"a":1,"\u0061":2}`, String.raw`{"\ud800":1}`])(
    'do not include an ambiguous payload: %s',
    (json) => {
      expect(leaves(json)).toEqual({ all: {}, unindexedPaths: [], isComplete: false });
      expect(leaves('{"a":1}')).toMatchObject({ all: { 'inputs.a': 1 }, isComplete: true });
    },
  );

  it('stay as they are while those of other calls follow', () => {
    const long = 'x'.repeat(200);
    const drained = Array.from({ length: 3000 }, (_, call) => {
      const json =
        call % 1000 === 999 ? Array<string>(2000).fill(long) : { call: `c${call}`, long };
      scan.add('inputs', Buffer.from(JSON.stringify(json)));
      return scan.drain().strings;
    });

    drained.forEach((strings, call) => {
      const decoded = decodedMap(strings, 's');
      expect(decoded.size).toBe(call % 1000 === 999 ? 2000 : 2);
      expect(decoded.get('inputs.call')).toBe(call % 1000 === 999 ? undefined : `c${call}`);
    });
  });

  it.each([
    ['elements', `{"${'k'.repeat(20_000)}":[${'0,'.repeat(4000)}0]}`],
    ['objects', `{"${'k'.repeat(20_000)}":[${'{},'.repeat(4000)}{}]}`],
  ])('take no more memory for the paths of %s than the payload allows', (_what, json) => {
    scan.add('inputs', Buffer.from(json));
    const { numbers, unindexedPaths, isComplete } = scan.drain();

    expect(isComplete).toBe(false);
    expect(numbers.keys.bytes.length).toBeLessThan(2 ** 20);
    expect(unindexedPaths).toEqual([]);
  });

  it('take no more memory for many calls of small payloads than these allow', () => {
    const json = Buffer.from(`{"${'k'.repeat(390)}":[${'1,'.repeat(190)}1]}`);
    for (const field of ['attributes', 'inputs', 'output', 'summary']) scan.add(field, json);
    const { numbers } = scan.drain();

    expect(numbers.keys.end - numbers.keys.start).toBeLessThan(4 * (1024 + 16 * json.length));
  });

  it('of all payloads of a call have at most 32 MiB', () => {
    const json = Buffer.from(`[${'0,'.repeat(600_000)}0]`);
    const bytes = ['attributes', 'inputs', 'output', 'summary'].map((field) => {
      scan.add(field, json);
      return scan.drain().numbers.keys;
    });
    for (const field of ['attributes', 'inputs', 'output', 'summary']) scan.add(field, json);
    const { numbers, isComplete } = scan.drain();

    expect(bytes.every(({ start, end }) => end > start)).toBe(true);
    expect(isComplete).toBe(false);
    expect(numbers.keys.end - numbers.keys.start).toBeLessThan(32 * 1024 ** 2);
  });

  it('are those of a payload of a hundred thousand small numbers', () => {
    const { all, isComplete } = leaves(`{"vector":[${'0,'.repeat(99_999)}1]}`);

    expect(isComplete).toBe(true);
    expect(all['inputs.vector.99999']).toBe(1);
  });

  it.each([
    ['a string', String.raw`{"first":"x","y":"\q"}`],
    ['a string after a repeated key', String.raw`{"a":1,"a":2,"y":"\q"}`],
  ])('of a call with %s that cannot be read are not those of the next call', (_what, json) => {
    scan.add('attributes', Buffer.from('{"secret":"of this call"}'));

    expect(() => scan.add('inputs', Buffer.from(json))).toThrow();
    expect(leaves('{"next":1}').all).toEqual({ 'inputs.next': 1 });
  });

  it('are ambiguous by a key that is twice among many, around and within other objects', () => {
    const keys = (count: number, value: string) =>
      Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(',');
    const inner = `{${keys(40, '1')}}`;

    expect(leaves(`{${keys(40, inner)}}`).isComplete).toBe(true);
    for (const again of ['k0', 'k15', 'k16', 'k39'])
      expect(leaves(`{${keys(40, inner)},"${again}":1}`).isComplete).toBe(false);
    expect(leaves(`{${keys(20, inner)},"x":{${keys(20, '1')},"k18":1}}`).isComplete).toBe(false);
    expect(leaves('{"":1,"a":{},"":2}').isComplete).toBe(false);
  });

  it('are found in an object with thousands of keys', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));

    expect(Object.keys(leaves(JSON.stringify(many)).all)).toHaveLength(5000);
  });
});
