// Three ClickHouse servers out of the npm engine that form a sharded cluster, as real processes from dist.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Member } from './load-member.mjs';

export const CLUSTER = 'heddle';
export const DATABASE = 'traces';
const USER = 'heddle';
const PASSWORD = 'only-on-loopback';
const MEMORY_BYTES = 3 * 1024 ** 3;

const distPath = (path) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const dist = (path) => import(distPath(path));

/** Resolves when every node responds and has the database. With `zooKeeperPort` the nodes know a ZooKeeper on this machine. */
export async function startNodes(directory, count = 3, { zooKeeperPort } = {}) {
  const { freePort } = await dist('libs/embedded/src/index.js');
  const ports = [];
  for (let i = 0; i < count; i++) ports.push({ http: await freePort(), tcp: await freePort() });
  const relays = await Promise.all(ports.map(({ tcp }) => startRelay(tcp)));
  const nodes = [];
  for (const [i, port] of ports.entries()) {
    const peers = relays.map((relay, j) => (j === i ? port.tcp : relay.port));
    const config = clusterConfig(i + 1, peers) + zooKeeperConfig(zooKeeperPort);
    nodes.push(await newNode(join(directory, `node-${i + 1}`), i + 1, port, config));
  }
  await Promise.all(nodes.map((node) => node.member.start()));
  for (const node of nodes) await node.execute(`CREATE DATABASE ${DATABASE} ENGINE = Atomic`, '');
  return {
    nodes,
    user: USER,
    password: PASSWORD,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.member.stop()));
      for (const relay of relays) relay.close();
    },
  };
}

async function newNode(directory, shard, { http, tcp }, clusterXml) {
  const { clickHouseUsersConfig, npmEngineConfig } = await dist(
    'libs/embedded/src/clickhouse-server-config.js',
  );
  mkdirSync(directory, { recursive: true });
  const [users, config] = [join(directory, 'users.xml'), join(directory, 'server.xml')];
  const settings = { directory, port: http, username: USER, password: PASSWORD };
  const startupStatements = 3;
  writeFileSync(users, clickHouseUsersConfig(settings, startupStatements), { mode: 0o600 });
  const base = npmEngineConfig({ ...settings, memoryBytes: MEMORY_BYTES, keepFreeBytes: 0 }, users);
  const text = base.replace('</clickhouse>', `${clusterXml}</clickhouse>`);
  writeFileSync(config, text, { mode: 0o600 });
  const url = `http://127.0.0.1:${http}`;
  const data = join(directory, 'data');
  const member = new Member({
    name: `ClickHouse node ${shard}`,
    command: process.execPath,
    args: [
      distPath('libs/embedded/src/clickhouse-server/main.js'),
      `--config=${config}`,
      `--path=${data}`,
      `--http-port=${http}`,
      `--tcp-port=${tcp}`,
      `--log-file=${join(directory, 'clickhouse.log')}`,
    ],
    env: { CLICKHOUSE_SERVER_USER: USER, CLICKHOUSE_SERVER_PASSWORD: PASSWORD },
    ready: () => respondsTo(`${url}/ping`),
    log: join(directory, 'process.log'),
  });
  return {
    url,
    data,
    member,
    execute: (statement, database = DATABASE) => execute(url, statement, database),
  };
}

function clusterConfig(shard, peers) {
  const replicas = peers.map(
    (port) =>
      `<replica><host>127.0.0.1</host><port>${port}</port><user>${USER}</user><password>${PASSWORD}</password></replica>`,
  );
  const shards = replicas.map((replica) => `<shard>${replica}</shard>`);
  return `  <macros><shard>${shard}</shard><replica>1</replica></macros>
  <remote_servers>
    <${CLUSTER}>${shards.join('')}</${CLUSTER}>
    <${CLUSTER}_everywhere><shard>${replicas.join('')}</shard></${CLUSTER}_everywhere>
  </remote_servers>
`;
}

function zooKeeperConfig(port) {
  if (port === undefined) return '';
  return `  <zookeeper><node><host>127.0.0.1</host><port>${port}</port></node></zookeeper>\n`;
}

async function execute(url, statement, database) {
  const response = await fetch(`${url}/?database=${database}`, {
    method: 'POST',
    body: statement,
    headers: { 'X-ClickHouse-User': USER, 'X-ClickHouse-Key': PASSWORD },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${statement}: ${text}`);
  return text;
}

async function respondsTo(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
}

/**
 * Forwards connections to a node. A killed node resets its connections, and a reset ends this engine's other nodes too
 * (`clickhouse server` survives it). The relay closes the connection in order instead.
 */
async function startRelay(port) {
  const open = new Set();
  const server = createServer({ allowHalfOpen: false }, (client) => {
    const node = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, node],
      [node, client],
    ]) {
      open.add(from);
      // A sender must not wait for a node that is gone, so the rest of what it sends is discarded.
      from
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(from);
          from.unpipe(to);
          to.end();
          to.resume();
        });
      from.pipe(to);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
