import { randomUUID } from 'node:crypto';
import { aProject, sharedServer } from '../support/test-server.js';
import { aStart, anEnd } from '../support/records.js';

const server = sharedServer();

const nested = (levels: number) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;

/** Objects whose text changes when it is parsed and printed again. */
const UNUSUAL = {
  'a whole number and a float': '{"int":1,"float":1.0,"exp":1E5,"neg":-0.0}',
  'thirty digits': '{"big":123456789012345678901234567890}',
  'more than a double can hold': '{"huge":1e400}',
  'an escaped lone surrogate': '{"s":"\\ud800"}',
  'escapes that need not be': '{"\\u0061":"\\u00e9\\/"}',
  'the same key twice': '{"k":1,"k":2}',
  'keys that objects already have': '{"__proto__":{"x":1},"constructor":null,"toString":[]}',
  'spaces and line breaks': '{ "a" : [ 1 ,\n 2 ] }',
  'an empty key': '{"":{"":[]}}',
  'keys with dots': '{"a.b":{"c\\\\d":1}}',
  'two hundred levels': nested(200),
  'a text like a placeholder of SQL': '{"q":"{p0:String} \\\\ \'; DROP TABLE calls --"}',
};

/** Prints a record with the text in place of the empty objects of these fields. */
function printed(record: object, fields: readonly string[], text: string): string {
  return fields.reduce(
    (json, field) => json.replace(`"${field}":{}`, () => `"${field}":${text}`),
    JSON.stringify(record),
  );
}

/** A call whose four payloads have this text, as a start and an end and as one record. */
function aCallWith(project_id: string, text: string) {
  const id = randomUUID();
  const start = printed(aStart({ project_id, id }), ['attributes', 'inputs'], text);
  const end = printed(anEnd({ project_id, id, output: {} }), ['output', 'summary'], text);
  const whole = `${start.slice(0, -1)},${end.slice(1)}`;
  return { id, start, end, whole };
}
type Sent = ReturnType<typeof aCallWith>;

const halves = ({ start, end }: Sent) => [
  `{"mode":"start","req":{"start":${start}}}`,
  `{"mode":"end","req":{"end":${end}}}`,
];

/** All operations that write calls. */
const WAYS: Record<string, (call: Sent, project: string) => [path: string, body: string][]> = {
  'call/start and call/end': ({ start, end }) => [
    ['/call/start', `{"start":${start}}`],
    ['/call/end', `{"end":${end}}`],
  ],
  'call/upsert_batch': (call) => [['/call/upsert_batch', `{"batch":[${halves(call).join()}]}`]],
  'v2 calls/complete': ({ whole }, project) => [
    [`/v2/${project}/calls/complete`, `{"batch":[${whole}]}`],
  ],
  'v2 call/start and call/end': ({ start, end }, project) => [
    [`/v2/${project}/call/start`, `{"start":${start}}`],
    [`/v2/${project}/call/end`, `{"end":${end}}`],
  ],
};

async function expectReadBack(project_id: string, id: string, text: string): Promise<void> {
  const { text: response } = await server.send('/call/read', { project_id, id });

  expect(response).toContain(`"attributes":${text}`);
  expect(response).toContain(`"inputs":${text}`);
  expect(response).toContain(`"output":${text}`);
  // The server adds its own block at the end of the summary, before the last brace.
  expect(response).toContain(`"summary":${text.replace(/\s*\}$/, '')}`);
}

describe('a payload', () => {
  it.each(Object.entries(UNUSUAL))(
    'is returned with the text that was sent: %s',
    async (_, text) => {
      const project_id = aProject();
      const call = aCallWith(project_id, text);
      for (const [path, body] of WAYS['call/start and call/end']!(call, project_id)) {
        await server.send(path, body);
      }

      await expectReadBack(project_id, call.id, text);
    },
  );

  it.each(Object.entries(WAYS))('may have two hundred levels, by %s', async (_, requests) => {
    const project_id = aProject();
    const call = aCallWith(project_id, nested(200));
    for (const [path, body] of requests(call, project_id)) {
      expect(await server.send(path, body)).toMatchObject({ status: 200 });
    }

    await expectReadBack(project_id, call.id, nested(200));
  });
});

describe('a payload that is nested deeper than two hundred levels', () => {
  it.each(['call/start and call/end', 'v2 call/start and call/end'])(
    'is refused, by %s',
    async (way) => {
      const project_id = aProject();
      for (const [path, body] of WAYS[way]!(aCallWith(project_id, nested(201)), project_id)) {
        const { status, text } = await server.send(path, body);

        expect({ status, ...JSON.parse(text) }).toEqual({
          status: 413,
          error_code: 'body_too_complex',
          reason: expect.stringMatching(
            /^body\.(start|end)\.\w+: must not be nested deeper than 200/,
          ),
        });
      }
    },
  );

  it.each([
    ['call/upsert_batch', (call: Sent) => halves(call).join(), ''],
    ['calls/complete', ({ whole }: Sent) => whole, 'v2'],
  ])('does not affect the other items of its batch, by %s', async (path, printedItems, version) => {
    const project_id = aProject();
    const [good, deep, alsoGood] = [nested(200), nested(201), '{}'].map((text) =>
      aCallWith(project_id, text),
    );
    const batch = [good, deep, alsoGood].map((call) => printedItems(call!)).join();
    const at = version === '' ? `/${path}` : `/v2/${project_id}/${path}`;

    expect(await server.send(at, `{"batch":[${batch}]}`)).toMatchObject({ status: 200 });

    await expectReadBack(project_id, good!.id, nested(200));
    const { calls } = await server.post('/calls/query', { project_id, columns: ['id'] });
    expect(calls.map(({ id }: { id: string }) => id).sort()).toEqual(
      [good!.id, alsoGood!.id].sort(),
    );
  });
});
