import { freePort } from '@app/embedded';
import { aProject } from '../support/test-server.js';
import { eventually, startNode } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

/** A process caches a key for five seconds. */
const SECONDS_MS = 8000;

let split: SplitServer;
let ingest: Part;
let query: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  [ingest, query] = await Promise.all([split.part('ingest'), split.part('query')]);
});
afterAll(() => split.stop());

/** The lines that `keys …` prints. */
async function keys(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await split.cli('keys', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim().split('\n');
}

async function aKey(...args: string[]): Promise<{ id: string; key: string }> {
  const [line = '', key = ''] = await keys('create', ...args);
  return { id: line.slice(0, 12), key };
}

const read = (project_id: string, key: string) =>
  query.server.send('/call/read', { project_id, id: 'none' }, { key });
const start = (project_id: string, key: string) =>
  ingest.server.send('/call/start', { start: aStart({ project_id, wb_user_id: 'eve' }) }, { key });

describe('keys', () => {
  it('have a user, a scope and a role, and allow nothing else', async () => {
    const project = aProject();
    const { id, key } = await aKey('--user', 'bob', '--scope', project, '--role', 'ingest');

    expect(key).toMatch(/^hdl_[\w-]{43}$/);
    expect((await start(project, key)).status).toBe(200);
    expect((await start(aProject(), key)).status).toBe(403);
    expect((await read(project, key)).status).toBe(403);
    const { keys: all } = JSON.parse((await keys('list', '--json'))[0]!);
    expect(all.find((one: { id: string }) => one.id === id)).toEqual({
      id,
      user: 'bob',
      scope: project,
      role: 'ingest',
      createdBy: expect.stringMatching(/^cli:/) as string,
      createdAt: expect.any(Number) as number,
      lastUsedAt: expect.any(Number) as number,
    });
  });

  it('are stored as hashes only, and never listed', async () => {
    const { key } = await aKey('--user', 'bob', '--role', 'read', '--name', 'for the dashboard');

    expect((await keys('list')).join('\n')).not.toContain(key);
    expect(await split.traceInRedis(key)).toEqual([]);
  });

  it('are refused by every process within seconds after they were revoked', async () => {
    const project = aProject();
    const { id, key } = await aKey('--user', 'bob', '--scope', 'acme', '--role', 'write');
    const statuses = async () => [
      (await start(project, key)).status,
      (await read(project, key)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);

    await keys('revoke', id);

    await eventually(async () => (await statuses()).join() === '401,401', SECONDS_MS);
    expect((await keys('list')).find((line) => line.startsWith(id))).toMatch(/ended/);
  });

  it('are replaced by rotation: the new key works at once, and the old one for the requested time', async () => {
    const project = aProject();
    const { id, key } = await aKey('--user', 'bob', '--scope', project, '--role', 'write');

    const [line = '', fresh = ''] = await keys('rotate', id, '--grace', '5');

    expect(line).toMatch(/5 more minutes/);
    expect((await start(project, fresh)).status).toBe(200);
    expect((await start(project, key)).status).toBe(200);
    expect((await start(aProject(), fresh)).status).toBe(403);
  });

  it('decide the user of a write, whatever its record contains', async () => {
    const worker = split.part('worker');
    const project_id = aProject();
    const { key } = await aKey('--user', 'bob', '--scope', project_id, '--role', 'write');
    const id = (await start(project_id, key)).json().id as string;
    await worker;

    const { call } = await eventually(async () => {
      const response = await query.server.send('/call/read', { project_id, id }, { key });
      return response.json().call === null ? undefined : response.json();
    }, 20_000);
    expect(call.wb_user_id).toBe('bob');
  });

  it('are not changed by an invalid command', async () => {
    const wrong: [string[], RegExp][] = [
      [['create', '--user', 'bob'], /--role/],
      [['create', '--user', 'bob', '--role', 'king'], /king/],
      [['create', '--user', 'bob', '--role', 'read', '--scope', 'a/b/c'], /--scope must be/],
      [['revoke', '0123456789ab'], /There is no key/],
      [['rotate', '0123456789ab'], /There is no key/],
    ];
    const results = await Promise.all(wrong.map(([args]) => split.cli('keys', ...args)));

    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(
      wrong.map(([, says]) => [1, expect.stringMatching(says) as string]),
    );
  });
});

describe('an admin of an entity', () => {
  const send = (path: string, body: object, key: string) =>
    ingest.server.send(`/admin/keys/${path}`, body, { key });

  it('creates and revokes keys of that entity, and sees no others', async () => {
    const admin = await aKey('--user', 'ann', '--scope', 'acme', '--role', 'admin');
    const foreign = await aKey('--user', 'zoe', '--scope', 'other', '--role', 'read');

    const made = await send('create', { user: 'b', scope: 'acme/x', role: 'write' }, admin.key);
    expect(made.json()).toMatchObject({ user: 'b', scope: 'acme/x', created_by: 'ann' });
    const wider = await send('create', { user: 'b', scope: '*', role: 'read' }, admin.key);
    expect(wider.status).toBe(403);
    const { keys: listed } = (await send('list', {}, admin.key)).json();
    expect(listed.map(({ scope }: { scope: string }) => scope)).not.toContain('other');
    expect((await send('revoke', { id: foreign.id }, admin.key)).status).toBe(404);
    expect((await send('rotate', { id: foreign.id }, admin.key)).status).toBe(404);
    const { id, key } = (await send('rotate', { id: made.json().id }, admin.key)).json();
    expect(key).not.toBe(made.json().key);
    expect((await send('revoke', { id }, admin.key)).json().ends_at).not.toBeNull();
    expect((await start('acme/x', key)).status).toBe(401);
  });

  it('whose own key ends makes no key that outlives it, by creation or by rotation', async () => {
    const lasting = await aKey('--user', 'bob', '--scope', 'acme/x', '--role', 'write');
    const day = 86_400;
    const root = await aKey('--user', 'ann', '--scope', 'acme', '--role', 'admin');
    const ending = (
      await send(
        'create',
        { user: 'eve', scope: 'acme', role: 'admin', ends_in_seconds: day },
        root.key,
      )
    ).json();

    const longer = { user: 'b', scope: 'acme', role: 'read', ends_in_seconds: 2 * day };
    expect((await send('create', longer, ending.key)).status).toBe(403);
    const absent = { user: 'b', scope: 'acme', role: 'read' };
    expect((await send('create', absent, ending.key)).json().ends_at).toBe(ending.ends_at);
    const rotated = await send('rotate', { id: lasting.id }, ending.key);
    expect(rotated.json().ends_at).toBe(ending.ends_at);
    expect((await send('create', { ...absent, ends_in_seconds: 0 }, root.key)).status).toBe(400);
  });

  it('cannot rotate a key that has ended, and rotation keeps the end of a key', async () => {
    const root = await aKey('--user', 'ann', '--scope', 'acme', '--role', 'admin');
    const body = { user: 'b', scope: 'acme', role: 'read', ends_in_seconds: 3600 };
    const made = (await send('create', body, root.key)).json();
    const fresh = (await send('rotate', { id: made.id }, root.key)).json();

    expect(fresh.ends_at).toBe(made.ends_at);
    const again = await send('rotate', { id: made.id }, root.key);
    expect([again.status, again.text]).toEqual([400, expect.stringMatching('has ended')]);
  });
});

describe('outside standalone', () => {
  const refusal = async (app: 'ingest' | 'query', env: Record<string, string>) => {
    const program = startNode([`dist/apps/${app}/src/main.js`], {
      env: { LOG_LEVEL: 'error', PORT: String(await freePort()), ...env },
    });
    const { code } = await program.end(20_000);
    return { code, stderr: program.stderr };
  };

  it.each(['ingest', 'query'] as const)('%s does not start without any key', async (app) => {
    const REDIS_URL = split.emptyRedis();

    expect(await refusal(app, { REDIS_URL })).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^{.*"msg":"There is no API key.*keys create.*}\n$/) as string,
    });
  });

  it.each(['secret', 'please-change-me-now'])('nothing starts with the key %s', async (key) => {
    expect(await refusal('ingest', { HEDDLE_API_KEY: key })).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^{.*"msg":"HEDDLE_API_KEY .*openssl rand.*}\n$/) as string,
    });
  });
});
