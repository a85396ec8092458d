import { randomUUID } from 'node:crypto';
import type { Role } from '@app/auth';
import { bind, raw, sql } from '@app/clickhouse';
import { gatewayRoutes, type GatewayRoute } from '../../apps/standalone/src/interface-document.js';
import type { TestResponse, TestServer } from '../support/test-server.js';
import { ROUTE_SAMPLES, WEAKER, type Sample } from '../support/route-samples.js';
import { SplitServer } from '../support/split-server.js';

const entity = `acme-${randomUUID().slice(0, 8)}`;
const project = `${entity}/guarded`;
const mine = `mine-${entity}/mine`;

const REFUSALS = ['no key', 'wrong key', 'revoked key', 'other entity', 'other project'] as const;
type Refusal = (typeof REFUSALS)[number];

let split: SplitServer;
let servers: Record<'ingest' | 'query', TestServer>;
let routes: GatewayRoute[];
const keys = new Map<string, string>();
const table: string[][] = [];

async function makeKey(name: string, scope: string, role: Role): Promise<void> {
  const request = { user: name.replaceAll(' ', '-'), scope, role };
  const { id, key } = await servers.ingest.post('/admin/keys/create', request);
  keys.set(name, key);
  if (name === 'revoked key') await servers.ingest.post('/admin/keys/revoke', { id });
}

beforeAll(async () => {
  split = await SplitServer.start();
  const [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query'),
    split.part('worker'),
  ]);
  servers = { ingest: ingest.server, query: query.server };
  const open = new Set(['/docs', '/openapi.json']);
  routes = (await gatewayRoutes()).filter(
    (route) => !open.has(route.path) && nameOf(route) in ROUTE_SAMPLES,
  );
  keys.set('wrong key', 'hdl_not-a-key-of-this-server');
  await makeKey('revoked key', project, 'admin');
  await makeKey('other entity', 'other-entity', 'admin');
  await makeKey('other project', `${entity}/other`, 'admin');
  for (const role of ['ingest', 'read', 'write', 'admin'] as const) {
    await makeKey(role, project, role);
    await makeKey(`${role} of mine`, mine, role);
  }
}, 120_000);

afterAll(async () => {
  await split.stop();
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)));
  const line = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ');
  process.stdout.write(`\nroute × refusal\n${table.map(line).join('\n')}\n`);
}, 60_000);

const nameOf = ({ method, path }: GatewayRoute) => `${method} ${path}`;

function send(route: GatewayRoute, sample: Sample, key: string | undefined): Promise<TestResponse> {
  const filled = route.path.replace(':object_id', 'thing').replace(':digest', 'x'.repeat(43));
  return servers[route.app].send(sample.path ?? filled, sample.body, {
    key: key === undefined ? null : keys.get(key)!,
    method: route.method,
    ...(sample.headers && { headers: { ...sample.headers } }),
  });
}

/** The status. It also checks that every refusal has the same shape and no internal details. */
function shown(response: TestResponse): string {
  if (response.status !== 401 && response.status !== 403) return String(response.status);
  const codes = response.status === 401 ? /^(unauthenticated|unknown_key)$/ : /^forbidden$/;
  expect(response.json()).toEqual({
    reason: expect.any(String) as string,
    error_code: expect.stringMatching(codes) as string,
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return String(response.status);
}

describe('every route', () => {
  it('refuses callers without access', async () => {
    table.push(['route', ...REFUSALS, 'weaker roles', 'hidden elsewhere']);
    const wrong: string[] = [];
    for (const route of routes) {
      const { needs, about, hiding = {}, elsewhere = 403 } = ROUTE_SAMPLES[nameOf(route)]!;
      const expected: Record<Refusal, number> = {
        'no key': 401,
        'wrong key': 401,
        'revoked key': 401,
        'other entity': elsewhere,
        'other project': elsewhere,
      };
      const row = [nameOf(route)];
      for (const refusal of REFUSALS) {
        const key = refusal === 'no key' ? undefined : refusal;
        const status = shown(await send(route, about(project), key));
        row.push(status);
        if (status !== String(expected[refusal]))
          wrong.push(`${nameOf(route)}, ${refusal}: ${status}`);
      }
      const weaker: string[] = [];
      for (const role of WEAKER[needs]) {
        const status = shown(await send(route, about(project), role));
        weaker.push(`${role} ${status}`);
        if (status !== '403') wrong.push(`${nameOf(route)}, role ${role}: ${status}`);
      }
      const hidden: string[] = [];
      for (const [place, sample] of Object.entries(hiding)) {
        const status = shown(await send(route, sample(mine, project), 'admin of mine'));
        hidden.push(`${place} ${status}`);
        if (status !== '403') wrong.push(`${nameOf(route)}, hidden in ${place}: ${status}`);
      }
      table.push([...row, weaker.join(', ') || '–', hidden.join(', ') || '–']);
    }
    expect(wrong).toEqual([]);
  }, 120_000);

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

  it('accepts callers with access', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      const { needs, about, isEndless } = ROUTE_SAMPLES[nameOf(route)]!;
      if (isEndless) continue;
      const roles: readonly Role[] = ['ingest', 'read', 'write', 'admin'];
      for (const role of roles.filter((one) => !WEAKER[needs].includes(one))) {
        const { status } = await send(route, about(project), role);
        if ([401, 403].includes(status) || status >= 500)
          wrong.push(`${nameOf(route)} as ${role}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
