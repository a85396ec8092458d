import { randomUUID } from 'node:crypto';
import { connectStore, sql, type Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { allArrived, eventually, Traffic } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';

interface Cluster {
  readonly env: Record<string, string>;
  readonly control: string;
  readonly nodes: readonly string[];
  readonly apps: readonly { readonly name: string; readonly port: number }[];
}

const cluster = JSON.parse(process.env['TEST_CLUSTER']!) as Cluster;
const server = sharedServer();

async function control(command: 'kill' | 'start', node: number): Promise<void> {
  const response = await fetch(`${cluster.control}/${command}/${node}`, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
}

/** A connection to one node, past the balancer. */
const nodeStore = (url: string): Store =>
  connectStore(readConfig({ ...cluster.env, CLICKHOUSE_URL: url }).clickhouse, 'test');

/** The number of rows that each node itself has. */
async function rowsPerNode(table: string, where: string): Promise<number[]> {
  return Promise.all(
    cluster.nodes.map(async (url) => {
      const store = nodeStore(url);
      const query = `SELECT count() AS n FROM ${table}_local WHERE ${where}`;
      const result = await store.client.query({ query, format: 'JSONEachRow' });
      const [row] = await result.json<{ n: number | string }>();
      await store.close();
      return Number(row!.n);
    }),
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

describe('a project on three shards', () => {
  it('has its calls, its objects and its tables on all of them', async () => {
    const project_id = aProject();
    const ids = Array.from({ length: 60 }, () => randomUUID());
    for (const id of ids) {
      await server.post('/call/start', { start: aStart({ project_id, id, trace_id: id }) });
      await server.post('/obj/create', { obj: { project_id, object_id: `o-${id}`, val: { id } } });
    }
    const { count } = await server.post('/calls/query_stats', { project_id });
    expect(count).toBe(60);

    for (const table of ['calls', 'call_events', 'objects', 'record_events']) {
      const rows = await rowsPerNode(table, `project_id = '${project_id}'`);
      expect({ table, rows: Math.min(...rows) }).toEqual({ table, rows: expect.any(Number) });
      expect(Math.min(...rows)).toBeGreaterThan(0);
      expect(sum(rows)).toBe(60);
    }
  });

  it('has what every node needs on every node', async () => {
    const migrations = await rowsPerNode('schema_migrations', '1');
    const prices = await rowsPerNode('prices', "level = 'default'");

    for (const rows of [migrations, prices]) {
      expect(rows[0]).toBeGreaterThan(0);
      expect(new Set(rows).size).toBe(1);
    }
  });

  it('is read from one shard when the trace is known', async () => {
    const store = nodeStore(cluster.nodes[0]!);
    const plan = await store.explain(
      sql`SELECT id FROM calls WHERE project_id = 'a/b' AND trace_id = 't'`,
      {},
    );
    await store.close();
    expect(plan.join('\n').match(/ReadFromRemote|ReadFromMergeTree/g) ?? []).toHaveLength(1);
  });
});

describe('a shard that is lost', () => {
  let traffic: Traffic | undefined;
  let isLost = false;

  const lose = async () => {
    await control('kill', 2);
    isLost = true;
  };
  const restore = async () => {
    if (isLost) await control('start', 2);
    isLost = false;
  };
  afterEach(async () => {
    await restore();
    await traffic?.stop();
  });

  it('stops no write, is never left out of a read, and gets all facts after its return', async () => {
    const [project_id, settled] = [aProject(), aProject()];
    await server.post('/call/start', { start: aStart({ project_id: settled }) });
    await server.post('/calls/query_stats', { project_id: settled });
    traffic = new Traffic(server, project_id, 1);
    await traffic.acknowledgedMore(100);

    await lose();
    await traffic.acknowledgedMore(200);
    await traffic.stop();
    // A project without pending writes, whose reads do not wait for them.
    const send = (path: string) => server.send(path, { project_id: settled });
    expect((await send('/admin/keys/list')).status).toBe(200);
    expect((await send('/cost/query')).status).toBe(200);
    const read = await send('/calls/query_stats');
    expect(read.status).toBe(503);
    expect(read.json().error_code).toBe('storage_unavailable');

    await restore();
    expect([...traffic.statuses.keys()]).toEqual([200]);
    await allArrived(server, project_id, traffic.acknowledged, 60_000);
    const { count } = await server.post('/calls/query_stats', { project_id });
    expect(count).toBe(traffic.acknowledged.length);
  });

  it('is reported by readiness', async () => {
    await lose();
    await eventually(async () => {
      const query = cluster.apps.find(({ name }) => name.startsWith('query'))!;
      const response = await fetch(`http://127.0.0.1:${query.port}/readyz`);
      return response.status === 503 && /shard|unavailable/.test(await response.text());
    }, 20_000);
  });
});
