import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { aProject, sharedServer, type RequestOptions } from '../support/test-server.js';
import { head, parsed, sendRaw } from '../support/raw-http.js';
import { aLargeText, aStart, anEnd, startItem } from '../support/records.js';

const server = sharedServer();
const MiB = 1024 * 1024;
const page = readFileSync('docs/reference/limits.md', 'utf8');

/** A request that is refused (4xx), accepted (200) or dead-lettered, as docs/reference/limits.md documents it. */
interface Case {
  /** The first cell of its line in docs/reference/limits.md. */
  readonly what: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: RequestOptions;
  readonly status: number;
  /** The reason, where one status has several. */
  readonly says?: RegExp;
}

const project_id = aProject();
const gzip = { headers: { 'content-encoding': 'gzip' } };
const start = (fields: object) => ({ start: aStart({ project_id, ...fields }) });
const startWith = (json: string) =>
  JSON.stringify(start({ inputs: { x: 'HERE' } })).replace('"HERE"', json);
const query = (json: string) => `{"project_id":"${project_id}","query":{"$expr":${json}}}`;
const BOUNDARY = 'b';
const form = (...parts: string[]): Pick<Case, 'body' | 'options'> => ({
  body: [...parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join(''),
  options: { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } },
});
const field = (name: string, value: string) =>
  `content-disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (name = 'file') =>
  `content-disposition: form-data; name="${name}"; filename="a"\r\n\r\nhello`;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const indexes = (count: number) => Array.from({ length: count }, (_, i) => i);
const keys = (count: number) =>
  indexes(count)
    .map((i) => `"${i}":0`)
    .join();
const usage = Object.fromEntries(indexes(1001).map((i) => [`model-${i}`, { requests: 1 }]));
const deep = (levels: number) =>
  '{"$not":['.repeat(levels) + '{"$literal":true}' + ']}'.repeat(levels);

const cases: Case[] = [
  {
    what: 'a body over `BODY_MAX_BYTES`',
    path: '/call/start',
    body: ' '.repeat(33 * MiB),
    status: 413,
  },
  {
    what: 'a compressed body that is larger afterwards',
    path: '/call/start',
    body: gzipSync(aLargeText(40 * MiB), { level: 1 }),
    options: gzip,
    status: 413,
    says: /The body is too large/,
  },
  {
    what: 'a compressed body that grows 200 times',
    path: '/call/start',
    body: gzipSync(Buffer.alloc(8 * MiB)),
    options: gzip,
    status: 413,
    says: /grows too much/,
  },
  {
    what: 'a compressed body that is broken',
    path: '/call/start',
    body: 'xx',
    options: gzip,
    status: 400,
  },
  {
    what: 'a payload nested deeper than 200 levels',
    path: '/call/start',
    body: startWith(nested(200)),
    status: 413,
  },
  {
    what: 'a payload nested deeper than 200 levels, in a batch',
    path: '/call/upsert_batch',
    body: `{"batch":[{"mode":"start","req":${startWith(nested(200))}}]}`,
    status: 200,
  },
  {
    what: 'calls nested deeper than 512 levels, envelope and all',
    path: '/call/upsert_batch',
    body: `{"batch":[{"mode":${nested(510)}}]}`,
    status: 413,
  },
  {
    what: 'anything else nested deeper than 200 levels',
    path: '/call/read',
    body: `{"project_id":${nested(200)}}`,
    status: 413,
  },
  {
    what: 'more than a million values',
    path: '/call/start',
    body: startWith(`[${'1,'.repeat(1_000_001)}1]`),
    status: 413,
  },
  {
    what: 'an object with more than 50,000 keys',
    path: '/obj/create',
    body: `{"obj":{"project_id":"${project_id}","object_id":"o","val":{${keys(50_001)}}}}`,
    status: 413,
    says: /more than 50000 keys/,
  },
  {
    what: 'more than 20,000 values, where the body is not calls, objects, tables, feedback or spans',
    path: '/call/read',
    body: { project_id, id: 'x', other: Array(20_001).fill(1) },
    status: 413,
    says: /more than 20000 values/,
  },
  {
    what: 'a body over 4 MiB, where it is not calls, objects, tables, feedback, spans or files',
    path: '/call/read',
    body: { project_id, id: 'x', other: 'x'.repeat(4 * MiB) },
    status: 413,
    says: /at most 4194304 bytes/,
  },
  {
    what: 'a batch of more than 20,000 calls or spans',
    path: '/call/upsert_batch',
    body: { batch: Array(20_001).fill(1) },
    status: 413,
    says: /more than 20000 elements/,
  },
  {
    what: 'a batch that names more than 100 projects',
    path: '/call/upsert_batch',
    body: { batch: indexes(101).map((i) => startItem({ project_id: `${project_id}-${i}` })) },
    status: 413,
    says: /more than 100 projects/,
  },
  {
    what: 'a batch with the usage of more than 1,000 models',
    path: '/call/upsert_batch',
    body: { batch: [{ mode: 'end', req: { end: anEnd({ project_id, summary: { usage } }) } }] },
    status: 413,
    says: /more than 1000 models/,
  },
  {
    what: 'a batch with more than 1,000 invalid items',
    path: '/call/upsert_batch',
    body: { batch: Array(1001).fill(1) },
    status: 422,
    says: /more than 1000 items are invalid/,
  },
  {
    what: 'a batch of more than 1,000 pieces of feedback',
    path: '/feedback/batch/create',
    body: { batch: Array(1001).fill(1) },
    status: 413,
    says: /more than 1000 elements/,
  },
  {
    what: 'a table of more than 100,000 rows in one request',
    path: '/table/create',
    body: { table: { project_id, rows: Array(100_001).fill({}) } },
    status: 413,
    says: /more than 100000 elements/,
  },
  {
    what: 'more than 20,000 updates of a table in one request',
    path: '/table/update',
    body: { project_id, base_digest: 'd', updates: Array(20_001).fill(1) },
    status: 413,
    says: /more than 20000 elements/,
  },
  {
    what: 'a string of many megabytes',
    path: '/call/start',
    body: startWith(`"${'x'.repeat(8 * MiB)}"`),
    status: 200,
  },
  {
    what: 'more than 1,000 values in a filter',
    path: '/calls/query_stats',
    body: { project_id, filter: { call_ids: Array(1001).fill('x') } },
    status: 400,
  },
  {
    what: 'more than 1,000 refs',
    path: '/refs/read_batch',
    body: { refs: Array(1001).fill(`weave:///${project_id}/object/a:b`) },
    status: 400,
  },
  {
    what: 'more than 50 columns to expand',
    path: '/calls/query',
    body: { project_id, expand_columns: Array(51).fill('inputs.a') },
    status: 400,
    says: /at most 50/,
  },
  {
    what: 'more than 1,000 ids to delete',
    path: '/calls/delete',
    body: { project_id, call_ids: Array(1001).fill('x') },
    status: 413,
  },
  {
    what: 'more than 1,000 calls to add to an annotation queue',
    path: '/annotation_queues/q/items',
    body: { project_id, call_ids: Array(1001).fill('x'), display_fields: [] },
    status: 413,
  },
  {
    what: 'more than 1,000 links of rows to their sources',
    path: '/dataset_sources/link',
    body: {
      ...{ project_id, dataset_object_id: 'd', dataset_digest: '' },
      links: Array(2).fill({
        row_digest: 'r',
        sources: Array(501).fill({
          ...{ source_kind: 'conversation', source_id: 't', source_trace_id: '' },
        }),
      }),
    },
    status: 413,
  },
  {
    what: 'more than 100 models of a runtime',
    path: `/v2/${project_id}/runtimes/local`,
    options: { method: 'PUT' },
    body: { base_url: 'https://example.com', runtime_ids: Array(101).fill({ id: 'm' }) },
    status: 400,
  },
  {
    what: 'more than 100 edits of a dead letter',
    path: '/admin/dead-letters/check',
    body: { id: 'x', edits: Array(101).fill({ offset: 0, length: 0, text: '' }) },
    status: 422,
    says: /edits/,
  },
  {
    what: 'a search in a dead letter for more than 1,000 characters',
    path: '/admin/dead-letters/find',
    body: { id: 'x', text: 'x'.repeat(1_001) },
    status: 422,
    says: /text/,
  },
  {
    what: 'more than 5 filters of groups of spans',
    path: '/agents/spans/query',
    body: {
      project_id,
      group_by: [{ key: 'agent_name' }],
      group_filters: Array(6).fill({ measure: { alias: 'n', aggregation: 'count' }, min: 1 }),
    },
    status: 400,
  },
  {
    what: 'more than 20 distributions of groups of spans',
    path: '/agents/spans/query',
    body: {
      project_id,
      group_by: [{ key: 'agent_name' }],
      group_distributions: indexes(21).map((i) => ({
        alias: `a${i}`,
        value: { source: 'custom_attrs_string', key: 'k' },
      })),
    },
    status: 400,
  },
  {
    what: 'a query nested too deeply',
    path: '/calls/query_stats',
    body: query(deep(150)),
    status: 413,
  },
  {
    what: 'a query that names fields of payloads more than 24 times, where the text of a payload decides; sorting by one counts three times, alternatives `= a or = b` of one field once for texts, numbers, true and false each',
    path: '/feedback/query',
    body: query(
      `{"$or":[${Array(25).fill('{"$gt":[{"$getField":"payload.a"},{"$literal":1}]}').join(',')}]}`,
    ),
    status: 400,
    says: /at most 24 times/,
  },
  {
    what: 'not UTF-8',
    path: '/call/start',
    body: new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
    status: 400,
  },
  { what: 'NUL in a payload', path: '/call/start', body: startWith('"a\\u0000b"'), status: 200 },
  { what: 'NUL as a byte', path: '/call/start', body: startWith('"a\u0000b"'), status: 400 },
  {
    what: 'half a surrogate pair in a payload',
    path: '/call/start',
    body: startWith('"\\ud800"'),
    status: 200,
  },
  {
    what: '`1e400` and forty digits in a payload',
    path: '/call/start',
    body: startWith('[1e400,-1e-400,1234567890123456789012345678901234567890]'),
    status: 200,
  },
  {
    what: '`1e400` where a count belongs',
    path: '/calls/query_stats',
    body: `{"project_id":"${project_id}","limit":1e400}`,
    status: 422,
  },
  {
    what: 'forty digits where a count belongs',
    path: '/calls/query_stats',
    body: `{"project_id":"${project_id}","limit":${'9'.repeat(40)}}`,
    status: 422,
  },
  {
    what: '`1e400` in a query',
    path: '/calls/query_stats',
    body: query('{"$gt":[{"$getField":"inputs.x"},{"$literal":1e400}]}'),
    status: 200,
  },
  {
    what: '`__proto__` and `constructor` as keys',
    path: '/call/start',
    body: startWith('{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}'),
    status: 200,
  },
  {
    what: '`__proto__` as the whole body',
    path: '/call/read',
    body: '{"__proto__":{"project_id":"a/b","id":"c"}}',
    status: 422,
  },
  {
    what: 'a date out of range',
    path: '/call/start',
    body: start({ started_at: '9999-12-31T23:59:59Z' }),
    status: 200,
  },
  {
    what: 'an invalid date',
    path: '/call/start',
    body: start({ started_at: '2026-02-30T00:00:00Z' }),
    status: 422,
  },
  {
    what: 'a step beyond 64 bits',
    path: '/call/start',
    body: start({ wb_run_step: 2 ** 63 }),
    status: 422,
  },
  {
    what: 'a control character in a project',
    path: '/call/start',
    body: start({ project_id: 'a/b\n' }),
    status: 422,
  },
  {
    what: '`:`, `{}`, quotes, newlines and NUL in an id',
    path: '/call/start',
    body: start({ id: `a:{b}\n\0'"\\*?` }),
    status: 200,
  },
  {
    what: 'an id over 128 characters',
    path: '/call/start',
    body: start({ id: 'x'.repeat(129) }),
    status: 422,
  },
  {
    what: 'a wrong name in a path',
    path: '/objs/a%0Ab/aliases/remove',
    body: { project_id, aliases: ['a'] },
    status: 422,
  },
  {
    what: 'a segment of a path over 1,024 characters',
    path: `/objs/${'x'.repeat(1100)}/aliases/remove`,
    body: { project_id, aliases: ['a'] },
    status: 400,
  },
  {
    what: 'a form with more than one file',
    path: '/file/create',
    ...form(field('project_id', project_id), file(), file('again')),
    status: 400,
  },
  {
    what: 'a form with more than 16 fields',
    path: '/file/create',
    ...form(...Array<string>(40).fill(field('x', 'y'))),
    status: 400,
  },
  {
    what: 'a field of a form over 4 KiB',
    path: '/file/create',
    ...form(field('project_id', 'x'.repeat(5000)), file()),
    status: 422,
  },
  {
    what: 'a form with a broken part',
    path: '/file/create',
    ...form('content-disposition: form-data; name="project_id"\r\u00ff\nx'),
    status: 400,
  },
  {
    what: 'a form without its end',
    path: '/file/create',
    body: `--${BOUNDARY}\r\n${file()}`,
    options: form().options!,
    status: 400,
  },
  {
    what: '`__proto__` as a field of a form',
    path: '/file/create',
    ...form(field('__proto__', project_id), file()),
    status: 400,
  },
];

/** The resident memory of the server in bytes. */
async function memory(): Promise<number> {
  const { text } = await server.send('/metrics', undefined, { method: 'GET', key: null });
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]);
}

let before: number;
beforeAll(async () => void (before = await memory()));

describe('malformed input', () => {
  it.each(cases)(
    'gets a documented response: $what',
    async ({ what, path, body, options, status, says = /^/ }) => {
      const response = await server.send(path, body, options);

      expect({ status: response.status, text: response.text }).toMatchObject({ status });
      expect(response.text).toMatch(says);
      const line = page.split('\n').find((one) => one.startsWith(`| ${what} `));
      expect(line).toMatch(new RegExp(`\\| ${status} `));
    },
  );

  it('is returned as it was sent where it is accepted', async () => {
    const id = `a:{b}\n\0'"\\*?`;
    const inputs = '{"__proto__":{"x":1},"n":[1e400,123456789012345678901],"s":"\\ud800\\u0000"}';
    const record = JSON.stringify({ start: aStart({ project_id, id, inputs: 0 }) });
    await server.post('/call/start', record.replace('"inputs":0', `"inputs":${inputs}`));

    const { text } = await server.send('/call/read', { project_id, id });
    expect(text).toContain(`"inputs":${inputs}`);
    expect(
      await server.post('/calls/query_stats', { project_id, filter: { call_ids: [id] } }),
    ).toMatchObject({ count: 1 });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  // cli.e2e-spec.ts tests that such items become dead letters.
  it('in one item of a batch does not stop the others from being stored', async () => {
    const good = aStart({ project_id });
    const batch = [
      startItem(good),
      null,
      1,
      'x',
      [],
      startItem({ ...good, id: 7 }),
      { mode: 'end', req: { end: anEnd({ project_id: 'no project' }) } },
    ];

    expect((await server.post('/call/upsert_batch', { batch })).res).toHaveLength(7);
    const { call } = await server.post('/call/read', { project_id, id: good.id });
    expect(call.id).toBe(good.id);
  });

  it.each([
    [
      'headers over 16 KiB',
      [head('POST /call/read', server.key, { 'x-long': 'x'.repeat(20_000) })],
      431,
    ],
    ['a path over 16 KiB', [head(`GET /${'x'.repeat(20_000)}`, server.key)], 431],
    ['not HTTP', ['\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'], 400],
    [
      'two lengths for one body',
      [
        head('POST /call/read', server.key, {
          'content-length': '1',
          'transfer-encoding': 'chunked',
        }),
      ],
      400,
    ],
    ['a NUL in a header', [head('POST /call/read', server.key, { 'x-bad': 'a\0b' })], 400],
  ])(
    'gets a response of the usual shape before there is a request: %s',
    async (what, pieces, status) => {
      const response = parsed(await sendRaw(server.url, pieces));

      expect(response).toEqual({
        status,
        body: { reason: expect.any(String), error_code: expect.any(String) },
      });
      expect(page).toMatch(new RegExp(`^\\| ${what} .*\\| ${status} `, 'm'));
    },
  );

  it('without a known key is refused before the body is read', async () => {
    const announced = { 'content-length': String(30 * MiB) };
    const pieces = [head('POST /call/start', 'hdl_unknown', announced), '{"start":'];

    expect(parsed(await sendRaw(server.url, pieces, { withinMs: 3000 })).status).toBe(401);
  });

  it('does not grow the memory of the server', async () => {
    for (let i = 0; i < 3; i++) {
      await Promise.all(cases.map(({ path, body, options }) => server.send(path, body, options)));
    }

    const grown = (await memory()) - before;
    expect(grown).toBeLessThan(400 * MiB);
  });
});
