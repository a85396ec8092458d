import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';
import { ContentDigestBuilder, contentDigest, tableDigest, valueDigest } from './digest.js';
import { internalProjectId } from './internal-refs.js';

/** Test vectors of the wire contract. */
const VECTORS: readonly (readonly [json: string, digest: string])[] = [
  ['{"a":1}', 'XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA'],
  ['{"b":2,"a":1}', '2El9nYJ3CnBykmEJWqmPfvUVTXr0mfgDe2yiUClnhaY'],
  ['{"a":1.0}', 'dCYJsgfwkAqOLf866DrEeUGvXCm7brXylYTKfdY9g1Q'],
  ['{"a":0.00001}', 'FkmllZIrNMHvpeH2Lriq39yt0D9lscv24syuqnj4s08'],
  ['{"a":1e21}', '9k6e1orlUfZr8NX50vxM2Cqz6lXm0IM2xpDmJXJdEP4'],
  ['{"a":123456789012345678901234567890}', 'xsCYLVF8hl7KGzwPQLKmmhpdAxj2yuF5ZYmA1U9J3kg'],
  ['{"a":"é"}', 'G7BEoJfyhcXpsnvUkjCkjqOipooHKDsh9qRgCfN2UBQ'],
  ['{"a":"😀"}', 'WEX37yqJeyYQ1GoORGHqNaCHBIobdabZ1O4UZXpfcZc'],
  ['{"a":"<\\/script>\u2028\u007f"}', 'wfgqcvj3j1N1Xqdi2jEL4quKZbR5LWJpqaSJCpzW90k'],
  ['{"a":null,"b":true,"c":[],"d":{}}', 'XfHpD1qS2KXQ0pNfX5UsYXLfpKU3f49YT8krtz6XZT8'],
  ['[1,2]', 'OjFtbTImXEweRuREf6jVYYALY0obxkmBUlI81KYCtps'],
  ['"x"', 'ui30kDosFOhtw7zKWJEbRKwdJRS3Inv26wjPuXj1Whs'],
  ['{"é":1,"z":2,"Z":3}', 'RpwCjuwYstq5NBPREjzLjNzxtDSLllEDidVSHWaUItQ'],
  ['{"😀":1,"\ufffd":2}', 'cHi73uwuHuNZRPrAHCue4KYQ4NtZLac9keKRiBiOlHU'],
];

interface Result {
  readonly canonical: string;
  readonly digest: string;
}

const vectorFile = (name: string) => new URL(`../../../test/vectors/${name}`, import.meta.url);
const recorded = JSON.parse(readFileSync(vectorFile('digests.json'), 'utf8')) as (Result & {
  json: string;
})[];
const ours = (json: string): Result => ({
  canonical: canonicalJson(json),
  digest: contentDigest(canonicalJson(json)),
});
const hasPython = spawnSync('python3', ['--version']).status === 0;

function python(script: string[], input: unknown[]): Result[] {
  const lines = input.map((one) => JSON.stringify(one)).join('\n');
  const options = { input: `${lines}\n`, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const output = execFileSync('python3', script, options);
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}

/** Generates JSON that JSON.stringify never writes: exponents, long integers, repeated keys. */
const numberText = fc.oneof(
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => JSON.stringify(x)),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.nat(), fc.integer({ min: -330, max: 320 }))
    .map(([whole, part, power]) => `${whole}.${part}E${power}`),
);
const stringText = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text));
const { jsonText } = fc.letrec<{ jsonText: string }>((tie) => ({
  jsonText: fc.oneof(
    { depthSize: 'small' },
    numberText,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('jsonText'), { maxLength: 4 }).map((items) => `[ ${items.join(' , ')} ]`),
    fc
      .array(fc.tuple(stringText, tie('jsonText')), { maxLength: 5 })
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`),
  ),
}));

describe('digests', () => {
  it.each(VECTORS)('match the wire contract for %s', (json, digest) => {
    expect(valueDigest(json)).toBe(digest);
  });

  it('are computed for a table from the digests of its rows', () => {
    const [a, b] = ['{"q":"a","e":"1"}', '{"q":"b","e":"2"}'].map(valueDigest) as [string, string];

    expect([a, b]).toEqual([
      'Ce5EFXXFiMGXalQv7szvU643XxWIiNBgpzxeY0dU720',
      'Fk81shiR8cwRfCNEjEX7EgyBIP7I0fhmzQGKBVtpOVc',
    ]);
    expect(tableDigest([a, b, a])).toBe(
      'f573c3bc7356932358efed180f15f749e18fef428cd5fb11804b76dc1fac9be4',
    );
    expect(tableDigest([])).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('match the wire contract for a file, whether hashed at once or incrementally', () => {
    const builder = new ContentDigestBuilder();
    for (const part of ['hello', ' ', 'world']) builder.add(Buffer.from(part));

    expect(contentDigest('')).toBe('47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(contentDigest('hello world')).toBe('uU0nuZNNPgilLlLX2n2rXsSE7XN6U4DukIj3rOLvzek');
    expect(builder.digest()).toBe(contentDigest('hello world'));
  });

  it('match the digests that Python computed for the recorded vectors', () => {
    expect(recorded.length).toBeGreaterThanOrEqual(500);
    const differing = recorded.filter(({ json, canonical, digest }) => {
      const mine = ours(json);
      return mine.canonical !== canonical || mine.digest !== digest;
    });
    expect(differing).toEqual([]);
  });

  const where = hasPython ? '' : ' (skipped: python3 is not installed; see the recorded vectors)';
  (hasPython ? it : it.skip)(`match json.dumps and hashlib on any JSON${where}`, () => {
    const texts = fc.sample(jsonText, 2000);
    const expected = python([vectorFile('make-digests.py').pathname], texts);

    expect(texts.map(ours)).toEqual(expected);
  });

  it('do not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(valueDigest(JSON.stringify(reversed))).toBe(valueDigest(JSON.stringify(value)));
      }),
    );
  });
});

describe('digests of values with refs', () => {
  const internal = (tail: string) => `weave-trace-internal:///${internalProjectId('e/p')}/${tail}`;
  const digestOf = (value: unknown) => valueDigest(JSON.stringify(value));
  const plain = (value: unknown) => contentDigest(canonicalJson(JSON.stringify(value)));

  it('are computed over refs to the internal project', () => {
    const ref = 'weave:///e/p/object/cfg:abc/attr/x';
    expect(digestOf({ a: [ref] })).toBe(plain({ a: [internal('object/cfg:abc/attr/x')] }));
  });

  it('replace refs inside strings that contain JSON, and print that JSON as Python does', () => {
    const text = '{"z":"weave:///e/p/call/1",  "é":1.50}';
    const printed = `{"z": "${internal('call/1')}", "\\u00e9": 1.5}`;
    expect(digestOf({ a: text })).toBe(plain({ a: printed }));
  });

  it('leave keys, malformed refs, prose and JSON without refs unchanged', () => {
    const value = {
      'weave:///e/p/object/x:1': 1,
      broken: 'weave:///e/p',
      prose: 'see weave:///e/p/object/x:1',
      json: '{"a":"no ref, but weave:/// is in here"}',
      internal: 'weave-trace-internal:///abc/object/x:1',
    };
    expect(digestOf(value)).toBe(plain(value));
  });
});
