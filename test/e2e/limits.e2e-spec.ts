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
});
afterAll(() => split.stop());

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

/** Sends a request many times at once, until one is refused: on a busy machine the first ones may take too long for that. */
async function sendMany(times: number, send: (i: number) => Promise<TestResponse>) {
  return eventually(async () => {
    const responses = await Promise.all(Array.from({ length: times }, (_, i) => send(i)));
    return responses.some(({ status }) => status === 429) && responses;
  }, 20_000);
}

const isRefusal = (response: TestResponse | undefined, says: RegExp) => {
  expect(response?.json()).toEqual({
    reason: expect.stringMatching(says),
    error_code: 'rate_limited',
  });
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
};

describe('a limit', () => {
  it('of requests per second applies to each key alone', async () => {
    const [busy, quiet] = [await aKey(), await aKey()];

    const responses = await sendMany(60, () => start(aProject(), busy));

    expect(counts(responses)[429]).toBeGreaterThan(0);
    isRefusal(
      responses.find(({ status }) => status === 429),
      /API key may send 20 requests/,
    );
    expect((await start(aProject(), quiet)).status).toBe(200);
    await eventually(async () => (await start(aProject(), busy)).status === 200, 5000);
  });

  it('of bytes per second applies to a key', async () => {
    const key = await aKey();

    const responses = await sendMany(8, () => start(aProject(), key, 15_000));

    isRefusal(
      responses.find(({ status }) => status === 429),
      /API key may send 50000 bytes/,
    );
  });

  it('of requests and bytes per second applies to a project over all its keys', async () => {
    const [project, other] = [aProject(), aProject()];
    const keys = [await aKey(), await aKey(), await aKey()];

    const often = await sendMany(36, (i) => start(project, keys[i % 3]!));
    isRefusal(
      often.find(({ status }) => status === 429),
      /project may get 10 requests/,
    );
    const much = await sendMany(4, (i) => start(other, keys[i % 3]!, 9000));
    isRefusal(
      much.find(({ status }) => status === 429),
      /project may get 20000 bytes/,
    );
  });

  it('of concurrent queries applies to a key and to a project', async () => {
    const project_id = aProject();
    const keys = [await aKey(), await aKey(), await aKey()];
    const send = (key: string) => query.send('/calls/query_stats', { project_id }, { key });

    const one = await sendMany(12, () => send(keys[0]!));
    isRefusal(
      one.find(({ status }) => status === 429),
      /key has 2 queries in progress/,
    );
    expect(counts(one)[200]).toBeGreaterThan(0);
    const ofProject = await eventually(async () => {
      const all = await sendMany(24, (i) => send(keys[i % 3]!));
      return all.find((one) => /project/.test(one.text));
    }, 20_000);
    isRefusal(ofProject, /project has 3 queries/);
    expect((await send(keys[0]!)).status).toBe(200);
  });

  it('of unknown keys applies to an address, and never refuses a valid key', async () => {
    const good = await aKey();
    expect((await at('192.0.2.7', good)).status).toBe(422);

    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await at('192.0.2.7', `unknown ${i}`)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    isRefusal(await at('192.0.2.7', 'another unknown key'), /unknown API keys/);
    expect((await at('192.0.2.7', good)).status).toBe(422);
    expect((await at('192.0.2.8', 'unknown')).status).toBe(401);
    const fresh = await aKey();
    expect((await at('192.0.2.7', fresh)).status).toBe(422);
  });

  it('of unknown keys applies to keys that begin alike, from many addresses', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++)
      statuses.push((await at(`198.51.100.${i}`, `attempted-key-${i}`)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it('of time ends requests whose headers or body arrive too slowly with 408', async () => {
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
  });
});

describe('headers', () => {
  const preflight = (server: TestServer, origin: string) =>
    server.send('/call/start', undefined, {
      method: 'OPTIONS',
      key: null,
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('are secure on every response, also on a refusal', async () => {
    const { headers } = await query.send('/call/read', {}, { key: 'wrong' });

    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self'/);
    expect(headers.get('strict-transport-security')).toMatch(/max-age/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });

  it('allow other origins only when the configuration names them', async () => {
    const allowed = (response: TestResponse) => response.headers.get('access-control-allow-origin');

    expect(allowed(await preflight(ingest, 'https://app.example.org'))).toBe(
      'https://app.example.org',
    );
    expect(allowed(await preflight(ingest, 'https://evil.example'))).toBeNull();
    expect(allowed(await preflight(query, 'https://app.example.org'))).toBeNull();
  });

  it('of a cross-site browser request are refused before the key is checked', async () => {
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

  it('contain the request id of the caller, or a new one', async () => {
    const idOf = async (given?: string) =>
      (
        await query.send('/call/read', {}, given ? { headers: { 'x-request-id': given } } : {})
      ).headers.get('x-request-id');

    expect(await idOf('job-17.4')).toBe('job-17.4');
    expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('<script>')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a query above its limits', () => {
  const limits = { QUERY_MAX_SECONDS: '1', QUERY_MAX_ROWS: '5000', QUERY_ADMIN_FACTOR: '1' };
  const stored = (project_id: string, count: number, fields: object = {}) => {
    const rows = Array.from({ length: count }, () => aCallRow({ project_id, ...fields }));
    return split.store.insert(CALLS, rows);
  };

  it('gets advice on how to narrow it: 504 when it is too slow, 413 when it reads too much', async () => {
    const { server } = await split.part('query', limits);
    const [slow, large] = [aProject(), aProject()];
    // The scalar index has no values of so long a list, so the whole text must be parsed.
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
  });
});
