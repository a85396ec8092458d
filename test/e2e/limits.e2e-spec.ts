import { CALLS } from '@app/clickhouse';
import { aProject, type TestResponse, type TestServer } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { head, parsed, sendRaw } from '../support/raw-http.js';
import { aStart } from '../support/records.js';
import { SplitServer } from '../support/split-server.js';
import { aCallRow } from '../support/store.js';

let split: SplitServer;
let ingest: TestServer;
let query: TestServer;

beforeAll(async () => {
  split = await SplitServer.start();
  const parts = await Promise.all([
    split.part('ingest', {
      LOGIN_MAX_FAILURES_PER_MINUTE: '5',
      KEY_MAX_REQUESTS_PER_SECOND: '20',
      KEY_MAX_BYTES_PER_SECOND: '50000',
      PROJECT_MAX_REQUESTS_PER_SECOND: '10',
      PROJECT_MAX_BYTES_PER_SECOND: '20000',
      REQUEST_TIMEOUT_MS: '1500',
      TRUSTED_PROXIES: 'loopback',
      CORS_ORIGINS: 'https://app.example.org',
    }),
    split.part('query', { KEY_MAX_CONCURRENT_QUERIES: '2', PROJECT_MAX_CONCURRENT_QUERIES: '3' }),
    split.part('worker'),
  ]);
  [ingest, query] = [parts[0].server, parts[1].server];
}, 120_000);
afterAll(() => split.stop(), 60_000);

const aKey = async (scope = '*'): Promise<string> =>
  (
    await eventually(
      () => ingest.post('/admin/keys/create', { user: 'bob', scope, role: 'admin' }),
      5000,
    )
  ).key;

const start = (project_id: string, key: string, size = 10) =>
  ingest.send(
    '/call/start',
    { start: aStart({ project_id, inputs: { x: 'x'.repeat(size) } }) },
    { key },
  );

const at = (address: string, key: string) =>
  ingest.send('/call/start', {}, { key, headers: { 'x-forwarded-for': address } });

const counts = (responses: readonly TestResponse[]) => {
  const found: Record<number, number> = {};
  for (const { status } of responses) found[status] = (found[status] ?? 0) + 1;
  return found;
};

/** The same request, many times at once. */
const flood = (times: number, send: (i: number) => Promise<TestResponse>) =>
  Promise.all(Array.from({ length: times }, (_, i) => send(i)));

const isRefusal = (response: TestResponse | undefined, says: RegExp) => {
  expect(response?.json()).toEqual({
    reason: expect.stringMatching(says),
    error_code: 'rate_limited',
  });
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
};

describe('limits', () => {
  it('of a key: so many requests in a second, and other keys are not concerned', async () => {
    const [busy, quiet] = [await aKey(), await aKey()];

    const responses = await flood(60, () => start(aProject(), busy));

    expect(counts(responses)[429]).toBeGreaterThan(0);
    isRefusal(
      responses.find(({ status }) => status === 429),
      /API key may send 20 requests/,
    );
    expect((await start(aProject(), quiet)).status).toBe(200);
    await eventually(async () => (await start(aProject(), busy)).status === 200, 5000);
  });

  it('of a key: so many bytes in a second', async () => {
    const key = await aKey();

    const responses = await flood(8, () => start(aProject(), key, 15_000));

    isRefusal(
      responses.find(({ status }) => status === 429),
      /API key may send 50000 bytes/,
    );
  });

  it('of a project: so many requests and bytes in a second, whoever sends them', async () => {
    const [project, other] = [aProject(), aProject()];
    const keys = [await aKey(), await aKey(), await aKey()];

    const often = await flood(36, (i) => start(project, keys[i % 3]!));
    isRefusal(
      often.find(({ status }) => status === 429),
      /project may get 10 requests/,
    );
    const much = await flood(4, (i) => start(other, keys[i % 3]!, 9000));
    isRefusal(
      much.find(({ status }) => status === 429),
      /project may get 20000 bytes/,
    );
  });

  it('of reads at the same time, of a key and of a project', async () => {
    const project_id = aProject();
    const keys = [await aKey(), await aKey(), await aKey()];
    const send = (key: string) => query.send('/calls/query_stats', { project_id }, { key });

    const one = await flood(12, () => send(keys[0]!));
    isRefusal(
      one.find(({ status }) => status === 429),
      /key has 2 queries under way/,
    );
    expect(counts(one)[200]).toBeGreaterThan(0);
    const all = await flood(24, (i) => send(keys[i % 3]!));
    isRefusal(
      all.find((one) => /project/.test(one.text)),
      /project has 3 queries/,
    );
    expect((await send(keys[0]!)).status).toBe(200);
  });

  it('of unknown keys from one address; a good key from there still opens', async () => {
    const good = await aKey();
    expect((await at('192.0.2.7', good)).status).toBe(422);

    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await at('192.0.2.7', `guess ${i}`)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    isRefusal(await at('192.0.2.7', 'another guess'), /unknown API keys/);
    expect((await at('192.0.2.7', good)).status).toBe(422);
    expect((await at('192.0.2.8', 'guess')).status).toBe(401);
    const fresh = await aKey();
    expect((await at('192.0.2.7', fresh)).status).toBe(429);
  });

  it('of time: headers or a body that trickle in get 408', async () => {
    const slowHead = ['POST /call/read HTTP/1.1\r\n', 'host: test\r\n', 'x-a: 1\r\n', 'x-b: 1\r\n'];
    const slowBody = [
      head('POST /call/start', ingest.key, { 'content-length': '1000' }),
      ...Array<string>(30).fill(' '),
    ];

    const responses = await Promise.all(
      [slowHead, slowBody].map((pieces) => sendRaw(ingest.url, pieces, { pauseMs: 200 })),
    );
    expect(responses.map(parsed)).toEqual([
      { status: 408, body: { reason: expect.any(String), error_code: 'request_timeout' } },
      { status: 408, body: { reason: expect.any(String), error_code: 'request_timeout' } },
    ]);
  }, 30_000);
});

describe('headers', () => {
  const preflight = (server: TestServer, origin: string) =>
    server.send('/call/start', undefined, {
      method: 'OPTIONS',
      key: null,
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('are those of a careful server on every answer, also on a refusal', async () => {
    const { headers } = await query.send('/call/read', {}, { key: 'wrong' });

    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self'/);
    expect(headers.get('strict-transport-security')).toMatch(/max-age/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });

  it('let pages of other origins in only where an operator names them', async () => {
    const allowed = (response: TestResponse) => response.headers.get('access-control-allow-origin');

    expect(allowed(await preflight(ingest, 'https://app.example.org'))).toBe(
      'https://app.example.org',
    );
    expect(allowed(await preflight(ingest, 'https://evil.example'))).toBeNull();
    expect(allowed(await preflight(query, 'https://app.example.org'))).toBeNull();
  });

  it('of a browser on a page of somebody else are refused before the key is looked at', async () => {
    const from = async (server: TestServer, headers: Record<string, string>, method = 'POST') =>
      (await server.send('/call/read', { project_id: 'a/b', id: 'x' }, { method, headers })).status;
    const crossSite = { 'sec-fetch-site': 'cross-site' };

    expect(await from(query, { ...crossSite, origin: 'https://evil.example' })).toBe(403);
    expect(await from(query, { origin: 'http://evil.example' })).toBe(403);
    expect(await from(query, { 'sec-fetch-site': 'same-origin', origin: query.url })).toBe(200);
    expect(await from(query, {})).toBe(200);
    const write = await ingest.send('/call/start', {}, { key: 'wrong', headers: crossSite });
    expect([write.status, write.json()]).toMatchObject([403, { error_code: 'cross_site' }]);
    const named = { ...crossSite, origin: 'https://app.example.org' };
    expect((await ingest.send('/call/start', {}, { headers: named })).status).toBe(422);
  });

  it('name the request: by the id the caller gave, or a new one', async () => {
    const idOf = async (given?: string) =>
      (
        await query.send('/call/read', {}, given ? { headers: { 'x-request-id': given } } : {})
      ).headers.get('x-request-id');

    expect(await idOf('job-17.4')).toBe('job-17.4');
    expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('<script>')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a query over its bounds', () => {
  const bounds = { QUERY_MAX_SECONDS: '1', QUERY_MAX_ROWS: '5000', QUERY_ADMIN_FACTOR: '1' };
  const stored = (project_id: string, count: number, fields: object = {}) => {
    const rows = Array.from({ length: count }, () => aCallRow({ project_id, ...fields }));
    return split.store.insert(CALLS, rows);
  };

  it('is told what to narrow: 504 when it is too slow, 413 when it is too large', async () => {
    const { server } = await split.part('query', bounds);
    const [slow, large] = [aProject(), aProject()];
    // Only a walk over the text can tell what stands at the end of so long a list.
    const inputs = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, i) => i) });
    await stored(slow, 1, { inputs, leaf_full: 0 });
    const last = { $eq: [{ $getField: 'inputs.list.19999' }, { $literal: 19_999 }] };

    for (const path of ['/calls/query_stats', '/calls/stream_query']) {
      const response = await server.send(path, { project_id: slow, query: { $expr: last } });
      expect({ status: response.status, ...response.json() }).toEqual({
        status: 504,
        error_code: 'query_timeout',
        reason: expect.stringContaining('narrow it by started_at'),
      });
    }

    await stored(large, 6000);
    for (const path of ['/calls/query_stats', '/calls/stream_query', '/calls/query']) {
      const response = await server.send(path, { project_id: large });
      expect({ status: response.status, ...response.json() }).toEqual({
        status: 413,
        error_code: 'query_too_large',
        reason: expect.stringContaining('narrow it by time'),
      });
    }
  }, 120_000);
});
