import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROLES, type Role } from '@app/auth';
import { bind, raw, sql } from '@app/clickhouse';
import {
  accessMatrix,
  accessOf,
  KEY_STATES,
  nameOf,
  type Access,
  type AccessRow,
  type KeyState,
} from '../../apps/standalone/src/access-matrix.js';
import { gatewayRoutes } from '../../apps/standalone/src/interface-document.js';
import { eventually } from '../support/processes.js';
import { endItem, startItem } from '../support/records.js';
import type { TestResponse, TestServer } from '../support/test-server.js';
import { ROUTE_SAMPLES, type Sample } from '../support/route-samples.js';
import { SplitServer } from '../support/split-server.js';

const entity = `acme-${randomUUID().slice(0, 8)}`;
const project = `${entity}/guarded`;
const mine = `mine-${entity}/mine`;

/** The scopes that a key may have in a state. */
const SCOPES: Readonly<Record<KeyState, readonly string[]>> = {
  valid: [project],
  expired: [project],
  revoked: [project],
  'other scope': ['other-entity', `${entity}/other`],
  'other address': [project],
};

interface TestKey {
  readonly role: Role;
  readonly state: KeyState;
  readonly key: string;
}

let split: SplitServer;
let servers: Record<'ingest' | 'query', TestServer>;
let appOf: Map<string, 'ingest' | 'query'>;
let rows: AccessRow[];
let keys: TestKey[];
/** What each role got in each state, by route. */
const printed: string[][] = [
  ['route', ...ROLES.map((role) => `${role}: ${KEY_STATES.join(' / ')}`)],
];

async function aKey(role: Role, state: KeyState, scope: string): Promise<TestKey> {
  const request = { user: `${role}-${state.replace(' ', '-')}`, scope, role };
  const ends = state === 'expired' ? { ends_in_seconds: 1 } : {};
  const from = state === 'other address' ? { addresses: ['192.0.2.0/24', '2001:db8::/32'] } : {};
  const { id, key } = await servers.ingest.post('/admin/keys/create', {
    ...request,
    ...ends,
    ...from,
  });
  if (state === 'revoked') await servers.ingest.post('/admin/keys/revoke', { id });
  return { role, state, key };
}

beforeAll(async () => {
  split = await SplitServer.start();
  const [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query'),
    split.part('worker'),
  ]);
  servers = { ingest: ingest.server, query: query.server };
  appOf = new Map(
    (await gatewayRoutes()).map(({ method, path, app }) => [`${method} ${path}`, app]),
  );
  rows = (await accessMatrix()).filter(({ needs }) => needs !== undefined);
  const all = ROLES.flatMap((role) =>
    KEY_STATES.flatMap((state) => SCOPES[state].map((scope) => aKey(role, state, scope))),
  );
  keys = await Promise.all(all);
  // The keys that expire have expired by then.
  await sleep(1500);
});

afterAll(async () => {
  await split.stop();
  const widths = printed[0]!.map((_, i) => Math.max(...printed.map((row) => row[i]!.length)));
  const line = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ');
  process.stdout.write(`\nroute × role × state of the key\n${printed.map(line).join('\n')}\n`);
});

function send({ route }: AccessRow, sample: Sample, key: string | null): Promise<TestResponse> {
  const [method, path] = route.split(' ') as [string, string];
  const filled = path.replace(':object_id', 'thing').replace(':digest', 'x'.repeat(43));
  return servers[appOf.get(route)!].send(sample.path ?? filled, sample.body, {
    key,
    method,
    ...(sample.headers && { headers: { ...sample.headers } }),
  });
}

/** The access that a response shows. It also checks that every refusal has the same shape and no internal details. */
function accessIn(response: TestResponse): Access | 'failed' {
  const { status } = response;
  if (status >= 500) return 'failed';
  if (status !== 401 && status !== 403) return 'accepted';
  const codes = status === 401 ? /^(unauthenticated|unknown_key)$/ : /^forbidden$/;
  expect(response.json()).toEqual({
    reason: expect.any(String) as string,
    error_code: expect.stringMatching(codes) as string,
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return status;
}

/** Sends the sample of a row with a key, and returns a line if the response is not what the matrix says. */
async function check(row: AccessRow, key: TestKey | undefined, secret = key?.key ?? null) {
  const access = accessIn(await send(row, ROUTE_SAMPLES[nameOf(row)]!.about(project), secret));
  const expected = accessOf(row, key);
  const caller = key === undefined ? 'no or an unknown key' : `${key.role}, ${key.state}`;
  const wrong =
    access === expected ? [] : [`${nameOf(row)}, ${caller}: ${access}, not ${expected}`];
  return { access, wrong };
}

const isRefused = (row: AccessRow) => (key: TestKey) => accessOf(row, key) !== 'accepted';

describe('every route', () => {
  it('refuses callers without access, as the matrix says', async () => {
    const wrong: string[] = [];
    for (const row of rows) {
      const callers = keys.filter(isRefused(row)).map((key) => check(row, key));
      const strangers = [null, 'hdl_not-a-key-of-this-server'].map((secret) =>
        check(row, undefined, secret),
      );
      const checked = await Promise.all([...callers, ...strangers]);
      wrong.push(...checked.flatMap((one) => one.wrong));
    }
    expect(wrong).toEqual([]);
  });

  it('refuses a request that names a project of others in any place', async () => {
    const { key } = await aKey('admin', 'valid', mine);
    const wrong: string[] = [];
    for (const row of rows) {
      for (const [place, sample] of Object.entries(ROUTE_SAMPLES[nameOf(row)]!.hiding ?? {})) {
        const access = accessIn(await send(row, sample(mine, project), key));
        if (access !== 403) wrong.push(`${nameOf(row)}, hidden in ${place}: ${access}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has stored nothing of what it refused, neither in Redis nor in any table', async () => {
    const tables = await split.store.rows<{ table: string }>(
      sql`SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'project_id'
        AND table IN ${bind('Array(String)', await split.tables())}`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { table: name } of tables) {
      // Only ann may have entries: she has made the keys of this test.
      const others = raw(name === 'audit' ? "user_id != 'ann'" : '1');
      const rows = await split.store.rows(
        sql`SELECT * FROM ${raw(name)} WHERE project_id IN ${bind('Array(String)', [project, mine])} AND ${others} LIMIT 1`,
      );
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
    expect(await split.traceInRedis(project)).toEqual([]);
    expect(await split.traceInRedis(mine)).toEqual([]);
  });

  it('accepts callers with access, as the matrix says', async () => {
    const wrong: string[] = [];
    for (const row of rows) {
      const isEndless = ROUTE_SAMPLES[nameOf(row)]!.isEndless ?? false;
      const got = new Map<TestKey, Access | 'failed'>();
      for (const key of keys) {
        // Refusals were checked above.
        const isSent = !isRefused(row)(key) && !isEndless;
        const checked = isSent ? await check(row, key) : { access: accessOf(row, key), wrong: [] };
        got.set(key, checked.access);
        wrong.push(...checked.wrong);
      }
      const cell = (role: Role) =>
        KEY_STATES.map((state) => {
          const some = keys.filter((key) => key.role === role && key.state === state);
          return [
            ...new Set(some.map((key) => (got.get(key) === 'accepted' ? 'ok' : got.get(key)))),
          ].join('+');
        });
      printed.push([nameOf(row), ...ROLES.map((role) => cell(role).join(' / '))]);
    }
    expect(wrong).toEqual([]);
  });
});

describe('an attacker who knows the id of a call', () => {
  const keyOf = (role: Role) => keys.find((one) => one.role === role && one.state === 'valid')!.key;
  const readOutput = async (id: string): Promise<unknown> =>
    (await servers.query.post('/call/read', { project_id: project, id })).call?.output;
  const deadLetters = async (id: string): Promise<number> => {
    const [row] = await split.store.rows<{ n: number | string }>(
      sql`SELECT uniqExact(id) AS n FROM dead_letters WHERE call_id = ${bind('String', id)}`,
    );
    return Number(row!.n);
  };

  it.each([
    ['ingest', [200, 403], 'mine', 2],
    ['read', [403, 403], 'mine', 0],
    ['write', [200, 200], 'forged', 0],
    ['admin', [200, 200], 'forged', 0],
  ] as const)(
    'and has a key of the role %s gets %j, and the output is %s',
    async (role, statuses, output, refused) => {
      // The matrix has set a retention, so older calls are hidden.
      const started_at = new Date().toISOString();
      const call = { project_id: project, id: randomUUID(), trace_id: randomUUID(), started_at };
      const upsert = (what: string, key?: string) => {
        const fields = { ...call, op_name: what, inputs: { what }, output: what };
        const batch = [startItem(fields), endItem(fields)];
        return servers.ingest.send('/call/upsert_batch', { batch }, key ? { key } : {});
      };
      await upsert('mine');
      const key = keyOf(role);
      const rename = { project_id: project, call_id: call.id, display_name: 'forged' };

      expect([
        (await upsert('forged', key)).status,
        (await servers.ingest.send('/call/update', rename, { key })).status,
      ]).toEqual(statuses);

      await eventually(async () => (await deadLetters(call.id)) === refused, 20_000);
      await eventually(async () => (await readOutput(call.id)) === output, 20_000);
    },
  );
});
