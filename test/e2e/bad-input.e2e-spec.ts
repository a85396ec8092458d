import { aProject, sharedServer, type RequestOptions } from '../support/test-server.js';
import { aStart, anEnd } from '../support/records.js';

const server = sharedServer();
const start = aStart({ project_id: aProject() });
const MiB = 1024 * 1024;

interface Case {
  readonly what: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: RequestOptions;
  readonly status: number;
  /** What the response must contain. */
  readonly says: RegExp;
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const cases: Case[] = [
  {
    what: 'no key',
    path: '/call/start',
    body: { start },
    options: { key: null },
    status: 401,
    says: /API key/,
  },
  {
    what: 'a wrong key',
    path: '/call/start',
    body: { start },
    options: { key: 'x' },
    status: 401,
    says: /unknown/,
  },
  {
    what: 'a scheme that is neither Basic nor Bearer',
    path: '/call/read',
    body: {},
    options: { key: null, headers: { authorization: 'Digest abc' } },
    status: 401,
    says: /API key/,
  },
  { what: 'no body', path: '/call/start', body: '', status: 400, says: /empty/ },
  { what: 'not JSON', path: '/call/start', body: '{"start":', status: 400, says: /not valid JSON/ },
  {
    what: 'not UTF-8',
    path: '/call/read',
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
    status: 400,
    says: /UTF-8/,
  },
  { what: 'a list for a body', path: '/call/read', body: '[]', status: 422, says: /JSON object/ },
  {
    what: 'no start',
    path: '/call/start',
    body: {},
    status: 422,
    says: /"start"\],"msg":"Field required"/,
  },
  {
    what: 'a start that is a string',
    path: '/call/start',
    body: { start: 'x' },
    status: 422,
    says: /JSON object/,
  },
  {
    what: 'a project without a slash',
    path: '/call/start',
    body: { start: { ...start, project_id: 'demo' } },
    status: 422,
    says: /<entity>\/<project>/,
  },
  {
    what: 'a date that is none',
    path: '/call/start',
    body: { start: { ...start, started_at: '2026-02-30T00:00:00Z' } },
    status: 422,
    says: /"started_at"\],"msg":"must be an ISO 8601/,
  },
  {
    what: 'inputs that are a list',
    path: '/call/start',
    body: { start: { ...start, inputs: [] } },
    status: 422,
    says: /"inputs"\],"msg":"must be a JSON object"/,
  },
  {
    what: 'an id that is too long',
    path: '/call/end',
    body: { end: anEnd({ id: 'x'.repeat(129) }) },
    status: 422,
    says: /"id"\]/,
  },
  {
    what: 'an end without a summary',
    path: '/call/end',
    body: { end: anEnd({ summary: null }) },
    status: 422,
    says: /"summary"/,
  },
  {
    what: 'no batch',
    path: '/call/upsert_batch',
    body: { batch: {} },
    status: 422,
    says: /list of items/,
  },
  {
    what: 'a filter that is a string',
    path: '/calls/query_stats',
    body: { project_id: 'a/b', filter: 'x' },
    status: 422,
    says: /"filter"/,
  },
  {
    what: 'a list of a thousand and one',
    path: '/calls/query_stats',
    body: { project_id: 'a/b', filter: { call_ids: Array<string>(1001).fill('x') } },
    status: 400,
    says: /1000/,
  },
  {
    what: 'a negative limit',
    path: '/calls/query_stats',
    body: { project_id: 'a/b', limit: -1 },
    status: 400,
    says: /limit/,
  },
  {
    what: 'numbers for ids',
    path: '/calls/query_stats',
    body: { project_id: 'a/b', filter: { call_ids: [1] } },
    status: 422,
    says: /"call_ids"/,
  },
  {
    what: 'nesting without end',
    path: '/call/read',
    body: nested(100_000),
    status: 413,
    says: /nested/,
  },
  {
    what: 'a million and one values',
    path: '/call/read',
    body: `[${'0,'.repeat(1_000_001)}0]`,
    status: 413,
    says: /values/,
  },
  {
    what: 'a body of 40 MB',
    path: '/call/start',
    body: ' '.repeat(40 * MiB),
    status: 413,
    says: /too large/,
  },
  {
    what: 'an unknown route',
    path: '/call/nothing',
    body: {},
    status: 404,
    says: /"detail":"Not Found"/,
  },
  {
    what: 'a wrong method',
    path: '/call/start',
    options: { method: 'GET' },
    status: 405,
    says: /accepts POST/,
  },
  { what: 'a broken address', path: '/%E0%A4%A', body: {}, status: 400, says: /reason/ },
];

describe('bad input', () => {
  it.each(cases)('gets a clear refusal: $what', async ({ path, body, options, status, says }) => {
    const response = await server.send(path, body, options);

    expect({ status: response.status, text: response.text }).toEqual({
      status,
      text: expect.stringMatching(says) as string,
    });
    expect(response.headers.get('content-type')).toMatch(/application\/json/);
    const { reason, detail } = response.json();
    expect(reason ?? detail).toBeDefined();
    expect(response.text).not.toMatch(/node_modules|\.js:\d|at .*\(/);
  });

  it('stores nothing of what was refused', async () => {
    const project_id = aProject();
    await server.send('/call/start', { start: aStart({ project_id, inputs: 1 }) });
    await server.send('/call/start', { start: aStart({ project_id }) }, { key: 'wrong' });

    expect(await server.post('/calls/query_stats', { project_id })).toMatchObject({ count: 0 });
  });

  it('does not include a Bearer key, or a Basic key with any username', async () => {
    const body = { project_id: aProject(), id: 'none' };
    const send = (authorization: string) =>
      server.send('/call/read', body, { key: null, headers: { authorization } });

    expect((await send(`Bearer ${server.key}`)).json()).toEqual({ call: null });
    expect((await send(`Basic ${btoa(`any-name:${server.key}`)}`)).json()).toEqual({ call: null });
  });
});
