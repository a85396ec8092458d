import fc from 'fast-check';
import { readConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { micros } from '@app/wire';
import { Redaction } from './redaction.js';

const redaction = new Redaction(readConfig({}).ingest);

const aFact = (item: string, kind: NewFact['kind'] = 'start'): NewFact => {
  const receivedAt = micros(1);
  const sent = { userId: 'ann', addsOnly: false, receivedAt };
  const fact = { projectId: 'a/b', callId: 'c', ...sent, reason: '' };
  return { ...fact, kind, item: Buffer.from(item) };
};
const stored = (item: object, kind?: NewFact['kind']) =>
  JSON.parse(redaction.redact(aFact(JSON.stringify(item), kind)).item.toString()) as unknown;

/** JSON text of a client: any spaces, any escapes, repeated keys. */
type Tree = string | { members: [key: string, gap: string, value: Tree][] } | { elements: Tree[] };

const escaped = (text: string, codes: readonly number[]) =>
  [...JSON.stringify(text).slice(1, -1)]
    .map((sign, i) => {
      const isPlain = /^[\w-]$/.test(sign) && !JSON.stringify(text).includes('\\');
      return codes.includes(i) && isPlain
        ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
        : sign;
    })
    .join('');
const written = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.array(fc.nat(16), { maxLength: 4 }))
    .map(([plain, codes]) => `"${escaped(plain, codes)}"`);
const gap = fc.constantFrom('', ' ', '\n', '\t \r\n');
const key = fc.oneof(
  fc.constantFrom('api_key', 'x-API-key-', 'authorization', 'max_tokens', 'inputs', '', '"api_key'),
  fc.constantFrom(
    'my_secret_\u212aey',
    'api_key:',
    '{"api_key',
    '\\api_key',
    'é_token',
    'y'.repeat(300),
  ),
  fc.string(),
);
const scalar = fc.oneof(
  fc.constantFrom('1', '-1.0e5', 'null', 'true', '""', String.raw`"\\"`, '"REDACTED"', '":"'),
  written(fc.oneof(key, fc.string())),
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.record({ members: fc.array(fc.tuple(written(key), gap, tie('tree')), { maxLength: 4 }) }),
    fc.record({ elements: fc.array(tie('tree'), { maxLength: 3 }) }),
  ),
}));
const part = written(fc.constantFrom('inputs', 'attributes', 'otel_dump', 'output', 'api_key'));
const item = fc.record({ members: fc.array(fc.tuple(part, gap, tree), { maxLength: 5 }) });

/** The text of a tree, with the strings redacted whose path is hidden. */
function printed(tree: Tree, isHidden: (path: string[]) => boolean, path: string[] = []): string {
  if (typeof tree === 'string') {
    return tree.startsWith('"') && isHidden(path) ? '"REDACTED"' : tree;
  }
  if ('elements' in tree) {
    return `[${tree.elements.map((one) => printed(one, isHidden, [...path, ''])).join(' ,')}]`;
  }
  const members = tree.members.map(([name, space, value]) => {
    const inside = [...path, JSON.parse(name) as string];
    return `${space}${name}${space}:${space}${printed(value, isHidden, inside)}`;
  });
  return `{${members.join(',')}}`;
}

const SECRET =
  /^(authorization|authtoken|bearertoken|authheaders|awsaccesskey(id)?|webhook(key|secret))$|(api(key|token)|(access|refresh|session)token|clientsecret|(private|secret|secretaccess)key)$/;
const isHidden = ([first = '', ...rest]: string[], kind: string) =>
  (kind === 'rejected' || (rest.length > 0 && /^(inputs|attributes|otel_dump)$/.test(first))) &&
  SECRET.test([first, ...rest].at(-1)!.replace(/[_-]/g, '').toLowerCase());

describe('redaction', () => {
  it.each([
    ...['api_key', 'API-KEY', 'openaiApiKey', 'Authorization', 'auth_token', 'bearerToken'],
    ...['auth_headers', 'aws_access_key', 'AWS_ACCESS_KEY_ID', 'webhook_key', 'webhook-secret'],
    ...['slack_api_token', 'access_token', 'refresh_token', 'session_token', 'client_secret'],
    ...['private_key', 'secret_key', 'secret_access_key', 'x-api_key_'],
  ])('replaces a string under %s', (key) => {
    const secret = { deep: [{ [key]: 'sk-123 "quoted"' }] };

    expect(stored({ inputs: secret, attributes: secret, otel_dump: secret })).toEqual({
      inputs: { deep: [{ [key]: 'REDACTED' }] },
      attributes: { deep: [{ [key]: 'REDACTED' }] },
      otel_dump: { deep: [{ [key]: 'REDACTED' }] },
    });
  });

  it.each([
    'key',
    'token',
    'max_tokens',
    'prompt_tokens',
    'keys',
    'author',
    'authorization_url',
    'id',
  ])('leaves a string under %s as it is', (key) => {
    expect(stored({ inputs: { [key]: 'x' } })).toEqual({ inputs: { [key]: 'x' } });
  });

  it('replaces only strings, and only in inputs, attributes and the span', () => {
    const item = {
      inputs: { api_key: 7, b: { api_key: null } },
      output: { api_key: 'x' },
      summary: { api_key: 'x' },
    };

    expect(stored(item)).toEqual(item);
    expect(stored({ end: { output: { api_key: 'x' } } }, 'end')).toEqual({
      end: { output: { api_key: 'x' } },
    });
  });

  it('replaces strings everywhere in a rejected item', () => {
    expect(stored({ output: { api_key: 'x' } }, 'rejected')).toEqual({
      output: { api_key: 'REDACTED' },
    });
  });

  it('does not mistake text inside of strings for keys', () => {
    const item = {
      inputs: { prompt: 'say {"api_key":"x"} or \\"api_key\\":"y"', list: ['api_key', 'x'] },
    };

    expect(stored(item)).toEqual(item);
  });

  it('changes no other byte', () => {
    const value = fc.jsonValue();
    fc.assert(
      fc.property(value, value, (a, b) => {
        const text = (secret: string) =>
          `{"inputs" :{"a": ${JSON.stringify(a)},"api_key": ${secret}, "b":${JSON.stringify(b)}}}`;
        fc.pre(
          !/(key|token|secret|authorization|headers|keyid)[_-]*"/i.test(JSON.stringify([a, b])),
        );

        expect(redaction.redact(aFact(text('"x\\"y"'))).item.toString()).toBe(text('"REDACTED"'));
      }),
    );
  });

  it.each([
    [
      'a space before the colon',
      '{"inputs":{"api_key" :"S"}}',
      '{"inputs":{"api_key" :"REDACTED"}}',
    ],
    ['line breaks', '{"inputs":{"api_key"\n:\t\r"S"}}', '{"inputs":{"api_key"\n:\t\r"REDACTED"}}'],
    [
      'an escape',
      String.raw`{"inputs":{"api\u005fkey":"S"}}`,
      String.raw`{"inputs":{"api\u005fkey":"REDACTED"}}`,
    ],
    [
      'an escape at the end',
      String.raw`{"inputs":{"api_ke\u0079":"S"}}`,
      String.raw`{"inputs":{"api_ke\u0079":"REDACTED"}}`,
    ],
    [
      'an escaped part',
      String.raw`{"\u0069nputs":{"api_key":"S"}}`,
      String.raw`{"\u0069nputs":{"api_key":"REDACTED"}}`,
    ],
    [
      'a quote',
      String.raw`{"inputs":{"\"api_key":"S"}}`,
      String.raw`{"inputs":{"\"api_key":"REDACTED"}}`,
    ],
    [
      'a part sent twice',
      '{"inputs":{"api_key":"S"},"inputs":{"api_key":"S"}}',
      '{"inputs":{"api_key":"REDACTED"},"inputs":{"api_key":"REDACTED"}}',
    ],
    [
      'a key sent twice',
      '{"inputs":{"api_key":"S","api_key":"S"}}',
      '{"inputs":{"api_key":"REDACTED","api_key":"REDACTED"}}',
    ],
  ])('cannot be avoided with %s', (_, sent, redacted) => {
    expect(redaction.redact(aFact(sent)).item.toString()).toBe(redacted);
  });

  it('finds the keys that JSON.parse finds, whatever their spelling and number', () => {
    fc.assert(
      fc.property(item, fc.constantFrom('start', 'complete', 'rejected'), (tree, kind) => {
        const { item: redacted } = redaction.redact(
          aFact(
            printed(tree, () => false),
            kind,
          ),
        );

        expect(redacted.toString()).toBe(printed(tree, (path) => isHidden(path, kind)));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same result when a key is repeated among more keys than are cached', () => {
    const keys = Array.from(
      { length: 3000 },
      (_, i) => `${i % 1500}${i % 2 ? '_token' : '_API-key'}`,
    );
    const sent = `{"inputs":{${keys.map((key) => `"${key}":"x"`).join()}}}`;
    const redacted = `{"inputs":{${keys
      .map((key) => `"${key}":"${key.endsWith('key') ? 'REDACTED' : 'x'}"`)
      .join()}}}`;

    expect(redaction.redact(aFact(sent)).item.toString()).toBe(redacted);
  });

  it('takes no longer for many copies of a part that have many secrets', () => {
    const secrets = Array.from({ length: 80 }, () => `{${'"apikey":"",'.repeat(2499)}"apikey":""}`);
    const json = `{${'"inputs":{},'.repeat(40_000)}"inputs":[${secrets.join()}]}`;
    const began = process.cpuUsage();
    const { item } = redaction.redact(aFact(json));
    const { user } = process.cpuUsage(began);

    expect(item.toString().match(/REDACTED/g)).toHaveLength(200_000);
    // Every copy beside every secret would be eight billion steps.
    expect(user / 1000).toBeLessThan(3000);
  });

  it('can be switched off, and can have other names', () => {
    const off = new Redaction(readConfig({ REDACT_KEYS: 'none' }).ingest);
    const own = new Redaction(readConfig({ REDACT_KEYS: 'pin,*_code' }).ingest);
    const fact = aFact('{"inputs":{"api_key":"a","PIN":"b","zip-code":"c"}}');

    expect(off.redact(fact)).toBe(fact);
    expect(own.redact(fact).item.toString()).toBe(
      '{"inputs":{"api_key":"a","PIN":"REDACTED","zip-code":"REDACTED"}}',
    );
  });
});
