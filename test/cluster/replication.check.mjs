#!/usr/bin/env node
// `npm run check:replication` registers the tables of a replicated cluster with a real ZooKeeper. This engine has no
// interserver port, so its replicas stay read-only and copy nothing: the check covers the statements, the paths and the
// replica names, and that rebuilds get paths of their own. It installs ZooKeeper where it can (Debian, as root).
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLUSTER, startNodes } from '../support/cluster-nodes.mjs';
import { Member } from '../support/load-member.mjs';

const START = '/usr/share/zookeeper/bin/zkServer.sh';
const dist = (path) => import(fileURLToPath(new URL(`../../dist/${path}`, import.meta.url)));

if (!existsSync(START)) install();
const directory = mkdtempSync(join(tmpdir(), 'heddle-replication-'));
const { freePort } = await dist('libs/embedded/src/index.js');
const zooKeeper = await startZooKeeper(await freePort());
const cluster = await startNodes(directory, 2, { zooKeeperPort: zooKeeper.port });
try {
  const tables = await createTables();
  await registered(tables);
  for (const round of [1, 2]) await rebuild('calls_local', round);
  await registered(tables);
  console.log(
    `${tables.length} tables of ${cluster.nodes.length} nodes are registered; two rebuilds kept their paths apart`,
  );
} finally {
  await cluster.stop();
  await zooKeeper.member.stop();
  rmSync(directory, { recursive: true, force: true });
}

function install() {
  try {
    execFileSync(
      'apt-get',
      ['install', '-y', '--no-install-recommends', 'zookeeper', 'default-jre-headless'],
      { stdio: 'ignore' },
    );
  } catch (error) {
    console.error(
      `ZooKeeper is missing and cannot be installed (${error.message}); install the package zookeeper.`,
    );
    process.exit(1);
  }
}

async function startZooKeeper(port) {
  const data = join(directory, 'zookeeper');
  const config = join(directory, 'zoo.cfg');
  mkdirSync(data);
  writeFileSync(
    config,
    `tickTime=2000\ndataDir=${data}\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n`,
  );
  const member = new Member({
    name: 'ZooKeeper',
    command: START,
    args: ['start-foreground', config],
    env: { ZOO_LOG_DIR: data },
    ready: () => connects(port),
    log: join(directory, 'zookeeper.log'),
  });
  await member.start();
  return { member, port };
}

function connects(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve()));
    socket.once('error', reject);
  });
}

/** Executes the statements of all migrations that create a table with rows, as ON CLUSTER would: with one id on all nodes. */
async function createTables() {
  const { readMigrations } = await dist('libs/clickhouse/src/migrations.js');
  const { renderMigration } = await dist('libs/clickhouse/src/render-migration.js');
  const topology = { kind: 'cluster', name: CLUSTER, replicated: true };
  const tables = [];
  for (const statement of readMigrations().flatMap(({ text }) => renderMigration(text, topology))) {
    const name = /^CREATE TABLE IF NOT EXISTS (\w+_local)/.exec(statement)?.[1];
    if (name === undefined) continue;
    tables.push(name);
    const id = randomUUID();
    const text = statement.replace(` ON CLUSTER '${CLUSTER}'`, ` UUID '${id}'`);
    for (const node of cluster.nodes) await node.execute(text);
  }
  return tables;
}

/** Every table has a path with its own id, and a table that every node has whole has a replica on each. */
async function registered(tables) {
  for (const [index, node] of cluster.nodes.entries()) {
    const rows = await rowsOf(
      node,
      `SELECT r.table AS name, zookeeper_path AS path, replica_name AS replica, toString(t.uuid) AS id, total_replicas AS replicas
      FROM system.replicas AS r JOIN system.tables AS t ON t.database = r.database AND t.name = r.table`,
    );
    const found = new Map(rows.map((row) => [row.name, row]));
    for (const name of tables) {
      const row = found.get(name);
      if (row === undefined) fail(`${name} is not registered on node ${index + 1}`);
      const shard = index + 1;
      const isEverywhere = row.path.endsWith('/everywhere');
      const expected = isEverywhere
        ? [`/clickhouse/tables/${row.id}/everywhere`, `${shard}-1`]
        : [`/clickhouse/tables/${row.id}/${shard}`, '1'];
      if (row.path !== expected[0] || row.replica !== expected[1])
        fail(
          `${name} on node ${shard} has ${row.path} and replica ${row.replica}, not ${expected.join(' and ')}`,
        );
      if (isEverywhere && Number(row.replicas) !== cluster.nodes.length)
        fail(`${name} has ${row.replicas} replicas instead of ${cluster.nodes.length}`);
    }
  }
}

/** What a rebuild does with a table, on every node. */
async function rebuild(table, round) {
  const shadow = `${table}_rebuild_${round}`;
  const id = randomUUID();
  for (const node of cluster.nodes) {
    await node.execute(`CREATE TABLE ${shadow} UUID '${id}' AS ${table}`);
    await node.execute(`EXCHANGE TABLES ${table} AND ${shadow}`);
    await node.execute(`DROP TABLE ${shadow} SYNC`);
  }
}

async function rowsOf(node, query) {
  const text = await node.execute(`${query} FORMAT JSONEachRow`);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function fail(reason) {
  throw new Error(reason);
}
