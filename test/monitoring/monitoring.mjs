// `npm run test:monitoring`: a real Prometheus (Debian's package) with the files of the profile `monitoring` scrapes a split server. Every
// rule must be evaluated without an error, and every query of the dashboard must return data.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { Member } from '../support/load-member.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { unusedPort } from '../support/servers.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const dashboard = JSON.parse(read('deploy/grafana/heddle.json'));
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);
/** Until the last maintenance task has run once, the ledger was counted, and rates have two scrapes. */
const DATA_WITHIN_MS = 300_000;

let failures = 0;
function check(what, isTrue, detail = '') {
  console.log(`${isTrue ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!isTrue) failures++;
}

checkProvisioning();
const server = await startLoadServer({ name: 'monitoring' });
let prometheus;
try {
  prometheus = await startPrometheus();
  await makeTraffic();
  await checkTargets();
  await checkRules();
  await checkDashboard();
} finally {
  await prometheus?.member.stop();
  await server.stop();
}
console.log(failures === 0 ? 'The monitoring works.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;

/** What Grafana would read when it starts: its files name each other and the services of docker-compose.yml. */
function checkProvisioning() {
  const { services } = parse(read('docker-compose.yml'), { merge: true });
  const mounted = new Map(
    services.grafana.volumes.map((volume) => {
      const [source, target] = volume.split(':');
      return [target, source];
    }),
  );
  const of = (path) => parse(read(mounted.get(path)));
  const [source] = of('/etc/grafana/provisioning/datasources/heddle.yml').datasources;
  const { hostname, port } = new URL(source.url);
  check(
    'the data source is a service of the profile',
    services[hostname].profiles.includes('monitoring'),
  );
  check(
    'the data source has the port of its health check',
    services[hostname].healthcheck.test[1].includes(`:${port}/`),
  );
  const shared = services.grafana.networks.some((name) =>
    services[hostname].networks.includes(name),
  );
  check('Grafana and Prometheus share a network', shared);
  const [provider] = of('/etc/grafana/provisioning/dashboards/heddle.yml').providers;
  check(
    'the dashboard is where its provider looks',
    mounted.has(`${provider.options.path}/heddle.json`),
  );
  for (const { targets } of parse(read('deploy/prometheus/prometheus.yml')).scrape_configs[0]
    .static_configs)
    for (const target of targets) {
      const [app, at] = target.split(':');
      check(`${target} is a service and its port`, String(services[app].environment.PORT) === at);
    }
  const ids = dashboard.panels.map(({ id }) => id);
  check('every panel has an id of its own', new Set(ids).size === ids.length);
}

async function startPrometheus() {
  const port = await unusedPort();
  const directory = join(server.directory, 'prometheus');
  mkdirSync(directory);
  const ports = {
    ingest: server.ingests[0].port,
    query: server.query.port,
    worker: server.workers[0].port,
  };
  const config = read('deploy/prometheus/prometheus.yml')
    .replace(/'(\w+):\d+'/g, (_, app) => `'127.0.0.1:${ports[app]}'`)
    .replace('scrape_interval: 15s', 'scrape_interval: 2s\n  evaluation_interval: 2s');
  writeFileSync(join(directory, 'prometheus.yml'), config);
  writeFileSync(join(directory, 'rules.yml'), read('deploy/prometheus/rules.yml'));
  const url = `http://127.0.0.1:${port}`;
  const member = new Member({
    name: 'Prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: {},
    ready: async () => {
      if (!(await fetch(`${url}/-/ready`)).ok) throw new Error('Prometheus is not ready');
    },
    log: join(server.directory, 'prometheus.log'),
  });
  await member.start();
  return { member, url };
}

/** Calls, a dead letter, reads and refusals. */
async function makeTraffic() {
  const project_id = 'acme/monitoring';
  for (let round = 0; round < 5; round++) {
    const batch = Array.from({ length: 20 }, () => startOf(project_id, new Date().toISOString()));
    await server.sendBatch(JSON.stringify({ batch: [...batch, startOf(project_id, 'yesterday')] }));
    await server.send('/calls/query_stats', { project_id });
    await server.send('/calls/query_stats', { project_id: 'no project' }).catch(() => undefined);
    await sleep(2500);
  }
}

function startOf(project_id, started_at) {
  const id = randomUUID();
  const start = {
    project_id,
    id,
    trace_id: id,
    op_name: 'f',
    started_at,
    attributes: {},
    inputs: {},
  };
  return { mode: 'start', req: { start } };
}

async function api(path, parameters = {}) {
  const response = await fetch(
    `${prometheus.url}/api/v1/${path}?${new URLSearchParams(parameters)}`,
  );
  return response.json();
}

async function checkTargets() {
  const { data } = await api('targets', { state: 'active' });
  for (const { scrapeUrl, health, lastError } of data.activeTargets)
    check(`${scrapeUrl} is scraped`, health === 'up', lastError);
  check('all three apps are scraped', data.activeTargets.length === 3);
}

async function checkRules() {
  const { data } = await api('rules');
  const rules = data.groups.flatMap((group) => group.rules);
  const failed = rules.filter(({ health }) => health === 'err');
  check(
    `${rules.length} rules are evaluated`,
    rules.length > 0 && failed.length === 0,
    failed.map(({ name, lastError }) => `${name}: ${lastError}`).join('; '),
  );
  const firing = rules.filter(({ state }) => state === 'firing').map(({ name }) => name);
  // The dead letters of this test are why this one fires.
  const unexpected = firing.filter((name) => !/DeadLetter/.test(name));
  check('no alert fires without a reason', unexpected.length === 0, unexpected.join(', '));
}

async function checkDashboard() {
  const deadline = Date.now() + DATA_WITHIN_MS;
  let left = expressions;
  for (;;) {
    const results = await Promise.all(
      left.map(async (one) => ({ ...one, result: await api('query', { query: one.expr }) })),
    );
    for (const { title, expr, result } of results)
      if (result.status !== 'success') check(`${title}: ${expr}`, false, result.error);
    left = results.filter(({ result }) => result.status === 'success' && !hasData(result));
    if (left.length === 0 || Date.now() > deadline) break;
    await sleep(3000);
  }
  for (const { title, expr } of expressions)
    check(`${title} has data: ${expr}`, !left.some((one) => one.expr === expr));
}

/** A rate or quantile of nothing is NaN. */
function hasData({ data }) {
  return data.result.some(({ value }) => !Number.isNaN(Number(value[1])));
}
