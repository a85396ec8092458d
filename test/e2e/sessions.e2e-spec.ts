import type { Role } from '@app/auth';
import { eventually } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { SplitServer } from '../support/split-server.js';
import { aProject, type RequestOptions, type TestServer } from '../support/test-server.js';

/** A process caches keys and sessions for five seconds. */
const ENDS_WITHIN_MS = 5500;
const PAGE = { 'x-heddle-page': '1' };

let split: SplitServer;
let ingest: TestServer;
let query: TestServer;

beforeAll(async () => {
  split = await SplitServer.start();
  const settings = { TRUSTED_PROXIES: 'loopback', LOGIN_MAX_FAILURES_PER_MINUTE: '5' };
  const parts = await Promise.all([
    split.part('ingest', settings),
    split.part('query', settings),
    split.part('worker'),
  ]);
  [ingest, query] = [parts[0].server, parts[1].server];
});
afterAll(() => split.stop());

async function aKey(user: string, scope: string, role: Role) {
  return ingest.post<{ id: string; key: string }>('/admin/keys/create', { user, scope, role });
}

const logIn = (key: string, headers: Record<string, string> = PAGE) =>
  query.send('/session', { key }, { key: null, headers });

/** The name and the value of the cookie that a login sets. */
async function cookieOf(key: string, headers: Record<string, string> = PAGE): Promise<string> {
  const { status, headers: received, text } = await logIn(key, headers);
  expect({ status, text }).toEqual({ status: 204, text: '' });
  return received.get('set-cookie')!.split(';')[0]!;
}

const send = (
  server: TestServer,
  path: string,
  body: unknown,
  cookie: string,
  options: RequestOptions = {},
) =>
  server.send(path, body, {
    ...options,
    key: null,
    headers: { cookie, ...PAGE, ...options.headers },
  });

const who = (cookie: string, headers = {}) =>
  send(query, '/session', undefined, cookie, { method: 'GET', headers });
const read = (project_id: string, cookie: string, headers = {}) =>
  send(query, '/calls/query_stats', { project_id }, cookie, { headers });
const write = (project_id: string, cookie: string, headers = {}) =>
  send(ingest, '/call/start', { start: aStart({ project_id }) }, cookie, { headers });

describe('a session of the page', () => {
  it('says who is logged in, and permits in both apps what the key permits', async () => {
    const project = aProject();
    const { id, key } = await aKey('bob', project, 'write');

    const cookie = await cookieOf(key);

    expect((await who(cookie)).json()).toEqual({
      user: 'bob',
      role: 'write',
      scope: project,
      key_id: id,
      expires_at: expect.stringMatching(/Z$/) as string,
    });
    expect((await write(project, cookie)).status).toBe(200);
    expect((await read(project, cookie)).json()).toMatchObject({ count: 1 });
    expect((await read(aProject(), cookie)).status).toBe(403);
  });

  it('has a cookie that scripts and other sites cannot use, bound to the host over TLS', async () => {
    const { key } = await aKey('bob', aProject(), 'read');

    const plain = (await logIn(key)).headers.get('set-cookie');
    const overTls = { ...PAGE, 'x-forwarded-proto': 'https' };
    const secure = (await logIn(key, overTls)).headers.get('set-cookie');

    expect(plain).toMatch(/^heddle=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    expect(secure).toMatch(
      /^__Host-heddle=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [cookie] = secure!.split(';');
    expect((await who(cookie!, overTls)).status).toBe(200);
    expect((await who(cookie!)).json()).toMatchObject({ error_code: 'unauthenticated' });
    expect((await who(plain!.split(';')[0]!, overTls)).status).toBe(401);
  });

  it.each(['ingest', 'read', 'write', 'admin'] as const)(
    'with the role %s has the limits of that role',
    async (role) => {
      const project = aProject();
      const cookie = await cookieOf((await aKey('bob', project, role)).key);

      const statuses = [
        (await read(project, cookie)).status,
        (await write(project, cookie)).status,
        (await send(query, '/admin/audit/query', { scope: project }, cookie)).status,
      ];

      const expected = {
        ingest: [403, 200, 403],
        read: [200, 403, 403],
        write: [200, 200, 403],
        admin: [200, 200, 200],
      };
      expect(statuses).toEqual(expected[role]);
    },
  );

  it('belongs to one user, also when two log in', async () => {
    const [mine, other] = [aProject(), aProject()];
    const [ann, bob] = [
      await cookieOf((await aKey('ann-of-mine', mine, 'write')).key),
      await cookieOf((await aKey('bob-of-other', other, 'write')).key),
    ];

    expect((await who(ann)).json()).toMatchObject({ user: 'ann-of-mine', scope: mine });
    expect((await who(bob)).json()).toMatchObject({ user: 'bob-of-other', scope: other });
    expect((await read(mine, ann)).status).toBe(200);
    expect((await read(mine, bob)).status).toBe(403);
    expect((await write(other, ann)).status).toBe(403);
  });

  it('is refused without the header of our page, in both apps', async () => {
    const project = aProject();
    const cookie = await cookieOf((await aKey('bob', project, 'admin')).key);

    for (const headers of [{ 'x-heddle-page': '' }, { 'x-heddle-page': '0' }]) {
      for (const response of [
        await read(project, cookie, headers),
        await write(project, cookie, headers),
        await who(cookie, headers),
      ]) {
        expect(response.status).toBe(401);
        expect(response.json()).toMatchObject({ error_code: 'page_header_missing' });
      }
    }
    expect((await read(project, cookie)).json()).toMatchObject({ count: 0 });
  });

  it('is refused to pages of other sites, although they send the header', async () => {
    const project = aProject();
    const { key } = await aKey('bob', project, 'admin');
    const cookie = await cookieOf(key);

    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await read(project, cookie, headers)).json()).toMatchObject({
        error_code: 'cross_site',
      });
      expect((await write(project, cookie, headers)).status).toBe(403);
      expect((await logIn(key, { ...PAGE, ...headers })).status).toBe(403);
    }
    const preflight = await query.send('/session', undefined, {
      key: null,
      method: 'OPTIONS',
      headers: {
        origin: 'http://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-heddle-page',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('ends in both apps within five seconds after its key was revoked', async () => {
    const project = aProject();
    const { id, key } = await aKey('bob', project, 'write');
    const cookie = await cookieOf(key);
    expect([(await read(project, cookie)).status, (await write(project, cookie)).status]).toEqual([
      200, 200,
    ]);

    await ingest.post('/admin/keys/revoke', { id });

    await eventually(async () => {
      const responses = [await read(project, cookie), await write(project, cookie)];
      return responses.every(
        ({ status, text }) => status === 401 && text.includes('session_ended'),
      );
    }, ENDS_WITHIN_MS);
    expect((await logIn(key)).status).toBe(401);
  });

  it('ends by a logout, at once where it was sent and within five seconds elsewhere', async () => {
    const project = aProject();
    const { key } = await aKey('bob', project, 'write');
    const [cookie, second] = [await cookieOf(key), await cookieOf(key)];
    expect((await write(project, cookie)).status).toBe(200);

    const logout = await send(query, '/session', undefined, cookie, { method: 'DELETE' });

    expect(logout.status).toBe(204);
    expect(logout.headers.get('set-cookie')).toMatch(/^heddle=; Path=\/; Max-Age=0;/);
    expect((await who(cookie)).json()).toMatchObject({ error_code: 'session_ended' });
    await eventually(async () => (await write(project, cookie)).status === 401, ENDS_WITHIN_MS);
    expect((await who(second)).status).toBe(200);
  });

  it('ends when the same browser logs in again', async () => {
    const { key } = await aKey('bob', aProject(), 'read');
    const first = await cookieOf(key);

    const second = await cookieOf(key, { ...PAGE, cookie: first });

    expect((await who(first)).status).toBe(401);
    expect((await who(second)).status).toBe(200);
  });

  it('lets no browser prompt for a password over the page', async () => {
    const withHeader = await query.send('/session', undefined, {
      key: null,
      method: 'GET',
      headers: PAGE,
    });
    const without = await query.send('/session', undefined, { key: null, method: 'GET' });

    expect([withHeader.status, withHeader.headers.get('www-authenticate')]).toEqual([401, null]);
    expect(without.headers.get('www-authenticate')).toMatch(/^Basic/);
  });

  it('of a key with addresses is accepted from those only, behind a trusted proxy', async () => {
    const project = aProject();
    const { key } = await ingest.post('/admin/keys/create', {
      ...{ user: 'bob', scope: project, role: 'admin', addresses: ['203.0.113.0/24'] },
    });
    const from = (address: string) => ({ 'x-forwarded-for': address, 'x-heddle-page': '1' });
    const status = async (headers: Record<string, string>, sent: string | null = key) =>
      (await query.send('/session', undefined, { method: 'GET', key: sent, headers })).status;

    expect([await status(from('203.0.113.9')), await status(from('198.51.100.1'))]).toEqual([
      200, 403,
    ]);
    const login = await query.send(
      '/session',
      { key },
      { key: null, headers: from('203.0.113.9') },
    );
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    expect([
      await status({ ...from('203.0.113.9'), cookie }, null),
      await status({ ...from('198.51.100.1'), cookie }, null),
    ]).toEqual([200, 403]);
    const create = async (addresses?: string[]) => {
      const body = { user: 'eve', scope: project, role: 'read', ...(addresses && { addresses }) };
      const headers = from('203.0.113.9');
      return ingest.send('/admin/keys/create', body, { key, headers });
    };
    expect((await create()).json()).toMatchObject({ addresses: ['203.0.113.0/24'] });
    expect((await create(['0.0.0.0/0'])).status).toBe(403);
    expect((await create(['not an address'])).status).toBe(422);
  });

  it('is stored without its secret, and its login is in the audit log', async () => {
    const project = aProject();
    const { id, key } = await aKey('bob', project, 'read');
    const cookie = await cookieOf(key);

    expect(await split.traceInRedis(cookie.split('=')[1]!)).toEqual([]);
    const entry = await eventually(async () => {
      const { entries } = await query.post('/admin/audit/query', {
        scope: project,
        action: 'sessions.',
      });
      return entries[0];
    }, 15_000);
    expect(entry).toMatchObject({
      user: 'bob',
      action: 'sessions.create',
      scope: project,
      detail: { id, role: 'read' },
    });
  });
});

describe('a login', () => {
  it('needs the header of our page and a small body', async () => {
    expect((await logIn(query.key, {})).json()).toMatchObject({
      error_code: 'page_header_missing',
    });
    expect((await logIn('k'.repeat(5000))).status).toBe(413);
    expect((await query.send('/session', {}, { key: null, headers: PAGE })).status).toBe(422);
  });

  it('with an unknown key counts as a failure of its address', async () => {
    const from = (address: string, key: string) =>
      logIn(key, { ...PAGE, 'x-forwarded-for': address });

    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await from('192.0.2.9', `unknown ${i}`)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await from('192.0.2.10', 'unknown')).json()).toMatchObject({
      error_code: 'unknown_key',
    });
  });
});
