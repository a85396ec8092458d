import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { raw, sql, type Store } from '@app/clickhouse';
import { freePort } from '@app/embedded';
import {
  projectChecksums,
  refusal,
  result,
  storeOf,
  storesOf,
  writeAll,
} from '../support/backup-drill.js';
import {
  cleanUp,
  eventually,
  startStandalone,
  temporaryDirectory,
  Traffic,
} from '../support/processes.js';
import { startItem } from '../support/records.js';
import { aProject, sharedServer, TestServer } from '../support/test-server.js';

const { env, nodes } = JSON.parse(process.env['TEST_CLUSTER']!) as {
  env: Record<string, string>;
  nodes: string[];
};
const BALANCED = [true, true, true, true, true];
const server = sharedServer();
const project_id = aProject();
/** Any order: a node knows its shard. */
const atNodes = ['--nodes', [...nodes].reverse().join(',')];
const databases: string[] = [];
let store: Store;
let backups: string;

beforeAll(async () => {
  store = storeOf(env);
  backups = temporaryDirectory();
  await writeAll(server, project_id);
  const batch = Array.from({ length: 60 }, () => startItem({ project_id, trace_id: randomUUID() }));
  await server.post('/call/upsert_batch', { batch });
  await settled();
});
afterAll(async () => {
  for (const name of databases)
    await store.runDdl(sql`DROP DATABASE ${raw(`${name} ON CLUSTER 'heddle'`)} SYNC`);
  await store.close();
  await cleanUp();
});

const settled = () =>
  eventually(async () => (await result(env, 'ledger'))['total'].pending === 0, 60_000);

/** An empty database on every node, and an empty database of the same Redis. */
async function emptyCluster(redisDatabase: number): Promise<Record<string, string>> {
  const name = `restored_${randomUUID().replaceAll('-', '')}`;
  await store.runDdl(sql`CREATE DATABASE ${raw(`${name} ON CLUSTER 'heddle'`)}`);
  databases.push(name);
  return { ...env, REDIS_URL: `${env['REDIS_URL']}/${redisDatabase}`, CLICKHOUSE_DATABASE: name };
}

/** The rows of a table that each node itself has, without older versions. */
const rowsPerNode = (at: Record<string, string>, table: string): Promise<number[]> =>
  Promise.all(
    nodes.map(async (CLICKHOUSE_URL) => {
      const node = storeOf({ ...at, CLICKHOUSE_URL });
      const [row] = await node.rows<{ n: number | string }>(
        sql`SELECT count() AS n FROM ${raw(table)}_local FINAL`,
      );
      await node.close();
      return Number(row!.n);
    }),
  );

async function checksumsAt(at: Record<string, string>): Promise<Record<string, string>> {
  const target = storeOf(at);
  const { schema_migrations: _, ...sums } = await projectChecksums(target, project_id);
  await target.close();
  return sums;
}

describe('a backup of a cluster', () => {
  it('made under load is restored into a new cluster, each row on its shard', async () => {
    const busy = aProject();
    const traffic = new Traffic(server, busy, 1);
    await traffic.acknowledgedMore(100);
    const acknowledged = [...traffic.acknowledged];
    const to = join(backups, 'cluster');
    const made = await result(env, 'backup', '--to', to, ...atNodes).finally(() => traffic.stop());
    expect(made.shards).toEqual([1, 1, 1]);
    expect(await result(env, 'backup', 'verify', to)).toMatchObject({ is_complete: true });
    await settled();
    const before = await checksumsAt(env);

    const target = await emptyCluster(8);
    const restored = await result(target, 'restore', '--from', to, ...atNodes);

    expect(restored).toMatchObject({ is_same: true, ledger: { pending: 0, holds: BALANCED } });
    const { audit: _, ...sums } = await checksumsAt(target);
    expect(sums).toEqual({ ...before, audit: undefined });
    for (const table of ['prices', 'projects', 'schema_migrations', 'api_keys'])
      expect(await rowsPerNode(target, table)).toEqual(await rowsPerNode(env, table));
    const calls = await rowsPerNode(target, 'calls');
    expect(Math.min(...calls)).toBeGreaterThan(0);
    const restoredStore = storeOf(target);
    const ids = await restoredStore.rows<{ id: string }>(
      sql`SELECT id FROM calls FINAL WHERE project_id = ${raw(`'${busy}'`)}`,
    );
    await restoredStore.close();
    const found = ids.map(({ id }) => id);
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    expect(await result(target, 'ledger')).toMatchObject({ total: { holds: BALANCED } });
    expect(await result(target, 'audit', 'verify')).toMatchObject({ faults: [] });
    expect(await refusal(target, 'restore', '--from', to, ...atNodes)).toMatch(/has \d+ tables/);
  });

  it('is encrypted and incremental by option, goes to a single server, and from there to a cluster', async () => {
    const [full, next] = [join(backups, 'full'), join(backups, 'next')];
    const key = join(backups, 'key');
    writeFileSync(key, '0123456789abcdef'.repeat(4));
    const sealed = ['--encrypt-with', key, ...atNodes];
    await result(env, 'backup', '--to', full, ...sealed);
    const until = new Date().toISOString();
    const late = await writeAll(server, project_id);
    await settled();
    const before = await checksumsAt(env);
    const made = await result(env, 'backup', '--to', next, '--base', full, ...sealed);
    expect(made.tables.every(({ is_exact }: any) => is_exact)).toBe(true);

    const dataDir = join(backups, 'standalone');
    const open = ['--decrypt-with', key];
    const restored = await result({ DATA_DIR: dataDir }, 'restore', '--from', next, ...open);
    expect(restored).toMatchObject({ is_same: true, ledger: { pending: 0, holds: BALANCED } });
    const PORT = String(await freePort());
    await startStandalone(dataDir, { PORT, HEDDLE_API_KEY: server.key, READ_WAIT_MS: '20000' });
    const single = new TestServer(`http://127.0.0.1:${PORT}`, server.key);
    const { call } = await single.post('/call/read', { project_id, id: late.id });
    expect(call.output).toBe('because');
    const { audit: _, ...sums } = await checksumsAt(storesOf(dataDir));
    expect(sums).toEqual({ ...before, audit: undefined });

    const moved = join(backups, 'moved');
    await result({ DATA_DIR: dataDir }, 'backup', '--to', moved);
    const target = await emptyCluster(9);
    const again = await result(target, 'restore', '--from', moved, ...atNodes);
    expect(again).toMatchObject({ is_same: true, ledger: { holds: BALANCED } });
    expect(Math.min(...(await rowsPerNode(target, 'calls')))).toBeGreaterThan(0);
    expect(await rowsPerNode(target, 'calls')).toEqual(await rowsPerNode(env, 'calls'));

    const earlier = await emptyCluster(10);
    const cut = ['--until', until, ...open, ...atNodes];
    const taken = await result(earlier, 'restore', '--from', next, ...cut);
    expect(taken.removed_facts).toBeGreaterThan(5);
    expect(taken.ledger.holds).toEqual(BALANCED);
  });

  it('is refused with the shard of which no node was given, and leaves nothing', async () => {
    const to = join(backups, 'refused');
    const two = ['--nodes', nodes.slice(0, 2).join(',')];
    expect(await refusal(env, 'backup', '--to', to, ...two)).toMatch(/Shard 3 was not found; give/);
    const gone = ['--nodes', `${nodes[0]},http://127.0.0.1:1`];
    expect(await refusal(env, 'backup', '--to', to, ...gone)).toMatch(
      /Shard 2, 3 .*127\.0\.0\.1:1/,
    );
    expect(await refusal(env, 'backup', '--to', to, '--nodes', 'ch-1')).toMatch(/--nodes has ch-1/);
    await result(env, 'backup', '--to', to, ...atNodes);

    const target = await emptyCluster(11);
    await refusal(target, 'restore', '--from', to, ...two);
    expect(await result(target, 'restore', '--from', to, ...atNodes)).toMatchObject({
      is_same: true,
    });
  });
});
