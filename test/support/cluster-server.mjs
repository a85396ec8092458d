// A whole installation on a sharded ClickHouse: three nodes behind a balancer, Redis, two ingest, three worker and two
// query processes behind a gateway.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBalancer } from './cluster-balancer.mjs';
import { startGateway } from './cluster-gateway.mjs';
import { CLUSTER, DATABASE, startNodes } from './cluster-nodes.mjs';
import { Member } from './load-member.mjs';

const KEY = 'a-key-for-tests-on-a-cluster';
const distPath = (path) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const dist = (path) => import(distPath(path));

export async function startCluster() {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-cluster-'));
  const { startRedis, freePort } = await dist('libs/embedded/src/index.js');
  const { createLogger } = await dist('libs/observability/src/index.js');
  const cluster = await startNodes(directory);
  const balancer = await startBalancer(cluster.nodes);
  const redis = await startRedis({
    directory: join(directory, 'redis'),
    logger: createLogger('test', 'error'),
  });
  const env = {
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: balancer.url,
    CLICKHOUSE_USER: cluster.user,
    CLICKHOUSE_PASSWORD: cluster.password,
    CLICKHOUSE_DATABASE: DATABASE,
    CLICKHOUSE_CLUSTER: CLUSTER,
    CLICKHOUSE_REPLICATED: 'no',
    HEDDLE_API_KEY: KEY,
    HEDDLE_USER: 'ann',
    LOG_LEVEL: 'warn',
    LOGIN_MAX_FAILURES_PER_MINUTE: '0',
    READ_WAIT_MS: '20000',
    // As for the server of the e2e project.
    USER_MAX_NEW_PROJECTS_PER_HOUR: '0',
    QUERY_MAX_WAIT_MS: '60000',
  };
  const cli = (...args) =>
    promisify(execFile)(process.execPath, [distPath('apps/cli/src/main.js'), ...args], {
      env: { ...process.env, ...env },
    });
  await cli('migrate');
  const newApp = async (app, number) => {
    const port = await freePort();
    const member = new Member({
      name: `${app} ${number}`,
      command: process.execPath,
      args: [distPath(`apps/${app}/src/main.js`), '--supervised'],
      env: { ...env, HOST: '127.0.0.1', PORT: String(port) },
      ready: () => ready(`http://127.0.0.1:${port}/readyz`),
      log: join(directory, `${app}-${number}.log`),
    });
    return Object.assign(member, { port });
  };
  const apps = [];
  for (const [app, count] of Object.entries({ ingest: 2, worker: 3, query: 2 }))
    for (let i = 1; i <= count; i++) apps.push(await newApp(app, i));
  await Promise.all(apps.map((app) => app.start()));
  const portsOf = (app) => apps.filter(({ name }) => name.startsWith(app)).map(({ port }) => port);
  const gateway = await startGateway({ ingest: portsOf('ingest'), query: portsOf('query') });
  const control = await startControl(cluster.nodes);
  return {
    directory,
    env: {
      TEST_URL: gateway.url,
      TEST_KEY: KEY,
      TEST_DATA_DIR: directory,
      TEST_CLUSTER: JSON.stringify({
        env,
        control: control.url,
        nodes: cluster.nodes.map(({ url }) => url),
        directories: cluster.nodes.map(({ data }) => data),
        apps: apps.map(({ name, port }) => ({ name, port })),
      }),
    },
    stop: async () => {
      gateway.close();
      control.close();
      await Promise.all(apps.map((app) => app.stop()));
      balancer.close();
      await Promise.all([redis.stop(), cluster.stop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Lets a spec, which may run in another process, kill and start nodes: `POST /kill/1`, `POST /start/1`. */
async function startControl(nodes) {
  const commands = { kill: (member) => member.crash(), start: (member) => member.start() };
  const server = createServer((request, response) => {
    const [, command, number] = request.url.split('/');
    commands[command](nodes[Number(number) - 1].member).then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => (server.close(), server.closeAllConnections()),
  };
}

async function ready(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
}
