import { eventually } from '../support/processes.js';
import { startIssuer, type Issuer } from '../support/issuer-process.mjs';
import { logInAt } from '../support/openid-login.js';
import { aStart } from '../support/records.js';
import { SplitServer } from '../support/split-server.js';
import { type TestServer } from '../support/test-server.js';

const PUBLIC_URL = 'http://heddle.test';
const CALLBACK = '/session/openid/callback';
const GRANTS = 'ml=write@acme/openid,sre=admin@*,guests=read@acme';
const PAGE = { 'x-heddle-page': '1' };
const PROJECT = 'acme/openid';
/** A process caches sessions for five seconds. */
const ENDS_WITHIN_MS = 5500;

let split: SplitServer;
let issuer: Issuer;
let ingest: TestServer;
let query: TestServer;

beforeAll(async () => {
  [split, issuer] = await Promise.all([SplitServer.start(), startIssuer(PUBLIC_URL, GRANTS)]);
  const parts = await Promise.all([
    split.part('ingest'),
    split.part('query', issuer.settings),
    split.part('worker'),
  ]);
  [ingest, query] = [parts[0].server, parts[1].server];
});
afterAll(async () => {
  issuer.stop();
  await split.stop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(query.url + path, { redirect: 'manual', headers });
const cookieIn = (response: Response, name: string) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .find((cookie) => cookie.startsWith(`${name}=`) && !cookie.endsWith('='));

/** Begins a login as the page does. */
async function begin(returnTo = '/'): Promise<{ url: string; cookie: string }> {
  const response = await get(`/session/openid?return_to=${encodeURIComponent(returnTo)}`);
  expect(response.status).toBe(302);
  return { url: response.headers.get('location')!, cookie: cookieIn(response, 'heddle-login')! };
}

/** The response to the browser that the issuer has sent back. */
async function logIn(login: string, returnTo?: string): Promise<Response> {
  const { url, cookie } = await begin(returnTo);
  return get(CALLBACK + (await logInAt(url, login)).search, { cookie });
}

const who = (cookie: string) =>
  query.send('/session', undefined, { key: null, method: 'GET', headers: { cookie, ...PAGE } });
const write = (project_id: string, cookie: string) =>
  ingest.send(
    '/call/start',
    { start: aStart({ project_id }) },
    { key: null, headers: { cookie, ...PAGE } },
  );

describe('a login by an OpenID Connect issuer', () => {
  it('starts a session with the grant of the first group of the setting, in both apps', async () => {
    const response = await logIn('ann.ml@example.com', '/acme/openid/weave/traces?filter=a%3Db');
    const cookie = cookieIn(response, 'heddle')!;

    expect(response.headers.get('location')).toBe('/acme/openid/weave/traces?filter=a%3Db');
    expect((await who(cookie)).json()).toMatchObject({
      user: 'ann.ml@example.com',
      role: 'write',
      scope: PROJECT,
      key_id: expect.stringMatching(/^openid-/) as string,
    });
    expect((await write(PROJECT, cookie)).status).toBe(200);
    expect((await write('acme/other', cookie)).status).toBe(403);
  });

  it('ends after 12 hours, or within five seconds by the command for operators', async () => {
    const cookie = cookieIn(await logIn('sam.sre@example.com'), 'heddle')!;
    const { role, expires_at } = (await who(cookie)).json<Record<string, string>>();

    const hours = (Date.parse(expires_at!) - Date.now()) / 3_600_000;
    expect([role, Math.round(hours)]).toEqual(['admin', 12]);
    const { stdout } = await split.cli('sessions', 'end', '--user', 'sam.sre@example.com');
    expect(stdout).toContain('Ended 1 sessions of sam.sre@example.com');
    await eventually(async () => (await who(cookie)).status === 401, ENDS_WITHIN_MS);
  });

  it.each([
    ['without a group of the setting', 'eve.sales@example.com', 'no_group'],
    ['with an address that the issuer has not verified', 'eve.unverified@example.com', 'no_user'],
  ])('is refused to a user %s', async (_, login, problem) => {
    const response = await logIn(login, '/acme/openid');

    expect(response.headers.get('location')).toBe(`/acme/openid#login=${problem}`);
    expect(cookieIn(response, 'heddle')).toBeUndefined();
  });

  it('is refused when another browser has begun it, or none, or when its code was used', async () => {
    const [mine, other] = [await begin(), await begin()];
    const { search } = await logInAt(mine.url, 'ann.ml@example.com');

    const ofOther = await get(CALLBACK + search, { cookie: other.cookie });
    const ofNone = await get(CALLBACK + search);
    const first = await get(CALLBACK + search, { cookie: mine.cookie });
    const second = await get(CALLBACK + search, { cookie: mine.cookie });

    expect(ofOther.headers.get('location')).toBe('/#login=login_refused');
    expect(ofNone.headers.get('location')).toBe('/#login=login_expired');
    expect(cookieIn(first, 'heddle')).toBeDefined();
    expect(second.headers.get('location')).toBe('/#login=login_refused');
  });

  it.each(['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'never sends the browser to another site: %s',
    async (returnTo) => {
      const response = await logIn('ann.ml@example.com', returnTo);

      expect(response.headers.get('location')).toBe('/');
    },
  );

  it('is named for the page, and in the audit log', async () => {
    const methods = await query.send('/session/methods', undefined, { key: null, method: 'GET' });

    expect(methods.json()).toEqual({ openid: 'Test Issuer' });
    await eventually(async () => {
      const entries = await query.send('/admin/audit/query', { scope: '*' });
      return entries.text.includes('ann.ml@example.com');
    }, 20_000);
  });
});
