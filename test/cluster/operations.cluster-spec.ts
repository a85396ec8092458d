import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import {
  bind,
  connectClickHouse,
  connectStore,
  migrate,
  migrationStatus,
  OldParts,
  raw,
  Removal,
  sql,
  topologyOf,
  type Store,
} from '@app/clickhouse';
import { readConfig } from '@app/config';
import { root } from '../support/processes.js';
import { endItem, startItem } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';

const { env, nodes } = JSON.parse(process.env['TEST_CLUSTER']!) as {
  env: Record<string, string>;
  nodes: string[];
};
const server = sharedServer();
let store: Store;

beforeAll(() => {
  store = connectStore(readConfig(env).clickhouse, 'test');
});
afterAll(() => store.close());

/** The output of a command. Rejects when it fails. */
async function cli(...args: string[]): Promise<string> {
  const command = promisify(execFile)(process.execPath, ['dist/apps/cli/src/main.js', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  return (await command).stdout;
}

/** A project with calls on every shard. */
async function projectWithCalls(count: number): Promise<string> {
  const project_id = aProject();
  const batch = Array.from({ length: count }, () => randomUUID()).flatMap((id) => [
    startItem({ project_id, id, trace_id: id }),
    endItem({ project_id, id }),
  ]);
  await server.post('/call/upsert_batch', { batch });
  expect(await countOf(project_id)).toBe(count);
  return project_id;
}

async function countOf(project_id: string): Promise<number> {
  return (await server.post('/calls/query_stats', { project_id })).count;
}

async function rowsIn(table: string, project: string): Promise<number> {
  const [row] = await store.rows<{ n: number | string }>(
    sql`SELECT count() AS n FROM ${raw(table)} WHERE project_id = ${bind('String', project)}`,
  );
  return Number(row!.n);
}

describe('an operator of a cluster', () => {
  it('rebuilds calls on every node, also those that are in no log, and finds the ledger balanced', async () => {
    const [damaged, unlogged] = [await projectWithCalls(30), await projectWithCalls(30)];
    const removal = new Removal(store);
    const where = (project: string) => sql`project_id = ${bind('String', project)}`;
    await removal.remove('calls', where(damaged));
    expect(await countOf(damaged)).toBe(0);
    await cli('rebuild');
    expect(await countOf(damaged)).toBe(30);

    await removal.remove('call_events', where(unlogged));
    await expect(cli('rebuild')).rejects.toThrow('--allow-fewer-rows');
    expect(await countOf(unlogged)).toBe(30);
    await cli('rebuild', '--allow-fewer-rows');
    expect(await countOf(unlogged)).toBe(0);
    expect(await countOf(damaged)).toBe(30);
    await cli('ledger', '--project', damaged);
    await expect(cli('ledger', '--project', unlogged)).rejects.toThrow();
  });

  it('rebuilds records, of which prices are on every node', async () => {
    const project_id = aProject();
    await server.post('/obj/create', { obj: { project_id, object_id: 'o', val: { n: 1 } } });
    const prices = () => store.rows(sql`SELECT count() AS n FROM prices FINAL`);
    const before = await prices();

    expect(await cli('rebuild', '--records')).toMatch(/^objects /m);

    expect(await prices()).toEqual(before);
    const { objs } = await server.post('/objs/query', { project_id });
    expect(objs).toHaveLength(1);
  });

  it('erases a project on every node, and sweeps and expires', async () => {
    const [erased, kept] = [await projectWithCalls(20), await projectWithCalls(20)];

    await cli('erase', '--project', erased, '--yes');
    await store.runDdl(sql`OPTIMIZE TABLE calls_local ON CLUSTER 'heddle' FINAL`);
    const parts = new OldParts(store);
    await expect(parts.remove(['calls'], { waitMs: 60_000 })).resolves.toEqual([]);
    await expect(parts.changedTables()).resolves.toEqual([]);

    expect(await countOf(erased)).toBe(0);
    expect(await countOf(kept)).toBe(20);
    expect(await rowsIn('call_events', kept)).toBe(40);
    await expect(cli('expire')).resolves.toMatch(/^Deleted \d+ expired calls/);
    await expect(cli('sweep')).resolves.toMatch(/^Repaired \d+ calls/);
    await expect(cli('migrate')).resolves.toMatch('The tables are up to date.');
  });

  it('adds a node by `migrate`, which gives it all tables and the rows that every node needs', async () => {
    const database = `added_${randomUUID().replaceAll('-', '')}`;
    await store.runDdl(sql`CREATE DATABASE ${raw(`${database} ON CLUSTER 'heddle'`)}`);
    const config = { ...readConfig(env).clickhouse, database };
    const [client, added] = [config, { ...config, url: nodes[2]! }].map((one) =>
      connectClickHouse(one, 'test'),
    );
    const topology = topologyOf(config);
    const namesOn = async (one: typeof client) => {
      const query = `SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`;
      const rows = await (
        await one!.query({ query, format: 'JSONEachRow' })
      ).json<{
        name: string;
      }>();
      return rows.map(({ name }) => name);
    };
    try {
      await migrate(client!, topology);
      const names = await namesOn(added);
      for (const name of names) await added!.command({ query: `DROP TABLE ${name} SYNC` });

      expect(await migrate(client!, topology)).toEqual([]);

      expect(await namesOn(added)).toEqual(names);
      const states = new Set((await migrationStatus(added!)).map(({ state }) => state));
      expect([...states]).toEqual(['applied']);
      const copied = 'SELECT count() AS n FROM schema_migrations_local FINAL';
      const [row] = await (
        await added!.query({ query: copied, format: 'JSONEachRow' })
      ).json<{ n: number }>();
      expect(Number(row!.n)).toBeGreaterThan(5);
    } finally {
      await store.runDdl(sql`DROP DATABASE ${raw(`${database} ON CLUSTER 'heddle'`)} SYNC`);
      await Promise.all([client!.close(), added!.close()]);
    }
  });

  it('is told on which node a statement failed', async () => {
    const name = `t_${randomUUID().replaceAll('-', '')}`;
    const second = connectClickHouse({ ...readConfig(env).clickhouse, url: nodes[1]! }, 'test');
    await second.command({ query: `CREATE TABLE ${name} (a UInt8) ENGINE = Memory` });
    try {
      const create = `CREATE TABLE ${name} ON CLUSTER 'heddle' (a UInt8) ENGINE = Memory`;
      await expect(store.runDdl(sql`${raw(create)}`)).rejects.toThrow(
        /2 of 3 nodes .* \(ClickHouse node 2:\d+ failed: Code: 57.*; ClickHouse node 3:\d+ has not finished it\)/s,
      );
    } finally {
      await store.runDdl(sql`${raw(`DROP TABLE IF EXISTS ${name} ON CLUSTER 'heddle' SYNC`)}`);
      await second.close();
    }
  });

  it('is told which cluster does not exist, and nothing is changed', async () => {
    const unknown = { ...env, CLICKHOUSE_CLUSTER: 'elsewhere' };
    const command = promisify(execFile)(
      process.execPath,
      ['dist/apps/cli/src/main.js', 'migrate'],
      {
        cwd: root,
        env: { ...process.env, ...unknown },
      },
    );

    await expect(command).rejects.toThrow(
      /has no cluster elsewhere, elsewhere_everywhere; .* Nothing was changed/,
    );
  });
});
