// Builds both images of the Dockerfile, runs the services of docker-compose.yml with them, and writes and reads through nginx.
// `npm run test:image [-- build split standalone]`, as root, with buildah, podman, runc, debootstrap and nginx: see
// docs/operations/image.md.
import { randomBytes, randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startStores } from '../support/load-server.mjs';
import { unusedPort } from '../support/servers.mjs';
import { makeBase, withBase } from './base.mjs';
import { healthy, logOf, removeService, services, startService, stopService } from './compose.mjs';
import { buildah, DIRECTORY, exitCode, output, podman } from './tools.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const IMAGES = { app: 'localhost/heddle:test', standalone: 'localhost/heddle-standalone:test' };
const APPS = ['ingest', 'worker', 'query'];
const KEY = randomBytes(32).toString('hex');
const PROJECT = 'acme/image';

let failures = 0;
function check(what, isTrue, detail = '') {
  console.log(`${isTrue ? 'ok  ' : 'FAIL'} ${what}${detail === '' ? '' : `: ${detail}`}`);
  if (!isTrue) failures++;
}

const steps = { build, split: runSplit, standalone: runStandalone };
const chosen = process.argv.slice(2);
for (const [name, step] of Object.entries(steps))
  if (chosen.length === 0 || chosen.includes(name)) await step();
console.log(failures === 0 ? 'The images work.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;

function build() {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  makeBase(DIRECTORY, /^FROM (node:\S+)/m.exec(text)[1]);
  const file = join(DIRECTORY, 'Dockerfile');
  writeFileSync(file, withBase(text));
  for (const [target, image] of Object.entries(IMAGES)) {
    const beganAt = performance.now();
    buildah([
      ...['bud', '--isolation', 'chroot', '--network', 'host', '--layers', '--pull-never'],
      ...npmOfThisMachine(),
      ...['--file', file, '--target', target, '--tag', image, root],
    ]);
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    console.log(`${target}: built in ${seconds} s, ${sizeOf(image)} MB`);
  }
}

/** Lets npm in the build trust what npm on this machine trusts, and use its cache. Nothing of it gets into the image. */
function npmOfThisMachine() {
  const npmrc = join(DIRECTORY, 'npmrc');
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  writeFileSync(npmrc, `cafile=${certificates}\nprefer-offline=true\n`);
  const cache = output('npm', ['config', 'get', 'cache']).trim();
  return [
    ...['--volume', `${npmrc}:/root/.npmrc:ro`, '--volume', `${cache}:/root/.npm`],
    ...['--volume', `${certificates}:${certificates}:ro`],
  ];
}

/** Of all files in the image, in megabytes. */
function sizeOf(image) {
  const container = buildah(['from', '--pull-never', image]);
  try {
    const path = buildah(['mount', container]);
    const caches = ['root/.npm/_cacache', 'home/node/.npm', 'root/.cache'];
    check(`${image} has no npm cache`, !caches.some((cache) => existsSync(join(path, cache))));
    return Number(output('du', ['-sm', path]).split('\t')[0]);
  } finally {
    buildah(['rm', container]);
  }
}

async function runSplit() {
  const stores = await startStores('image');
  const ports = { ingest: 0, worker: 0, query: 0, gateway: 0 };
  for (const name of Object.keys(ports)) ports[name] = await unusedPort();
  const common = { ...stores.env, HEDDLE_API_KEY: KEY, HEDDLE_USER: 'ann', LOG_LEVEL: 'info' };
  let gateway;
  try {
    startService('migrate', IMAGES.app, common);
    check('migrate ends with 0', podman(['wait', 'heddle-test-migrate']) === '0', '');
    for (const name of APPS)
      startService(name, IMAGES.app, { ...common, HOST: '127.0.0.1', PORT: String(ports[name]) });
    for (const name of APPS) await healthy(name);
    check('the health check of compose succeeds in every container', true);
    for (const name of APPS) restrictions(name);
    gateway = startGateway(ports);
    await smoke(`http://127.0.0.1:${ports.gateway}`);
    for (const name of APPS) ends(name);
  } finally {
    gateway?.kill('SIGTERM');
    for (const name of ['migrate', ...APPS]) removeService(name);
    await stores.stop();
  }
}

async function runStandalone() {
  const PORT = String(await unusedPort());
  const env = {
    HEDDLE_API_KEY: KEY,
    HEDDLE_USER: 'ann',
    HOST: '127.0.0.1',
    PORT,
    DATA_DIR: '/data',
  };
  const volume = ['--volume', 'heddle-test-data:/data'];
  try {
    startService('standalone', IMAGES.standalone, env, volume);
    await healthy('standalone');
    await smoke(`http://127.0.0.1:${PORT}`);
    restrictions('standalone');
    ends('standalone');
    startService('standalone', IMAGES.standalone, env, volume);
    await healthy('standalone');
    const { count } = await send(`http://127.0.0.1:${PORT}/calls/query_stats`, {
      project_id: PROJECT,
    });
    check('standalone has the calls after a restart with the same volume', count === 20, count);
    ends('standalone');
  } finally {
    removeService('standalone');
    podman(['volume', 'rm', '--force', 'heddle-test-data'], { mayFail: true });
  }
}

/** What the container may not do, and what the image must not have. */
function restrictions(name) {
  const container = `heddle-test-${name}`;
  const inside = (...command) => exitCode(container, command);
  const shell = (script) => inside('sh', '-c', script);
  check(`${name} does not run as root`, shell('test "$(id -u)" -ne 0') === 0);
  check(`${name} cannot change its files`, shell(': > /app/dist/x || : > /app/x') !== 0);
  if (services[name].read_only)
    check(`${name} has a read-only root file system`, shell(': > /var/tmp/x') !== 0);
  check(`${name} can write to /tmp`, shell(': > /tmp/x') === 0);
  check(
    `${name} has no capabilities`,
    shell('grep -q "^CapEff:.*0000000000000000$" /proc/1/status') === 0,
  );
  for (const program of ['gcc', 'cc', 'make', 'python3', 'git'])
    check(`the image has no ${program}`, shell(`command -v ${program}`) !== 0);
  check('the image has no development packages', shell('ls -d /app/node_modules/jest') !== 0);
  check('the image has no sources', shell('ls -d /app/apps') !== 0);
}

function ends(name) {
  const { tookMs, code, graceMs } = stopService(name);
  const detail = `${Math.round(tookMs)} ms, exit code ${code}`;
  check(`SIGTERM ends ${name} in time`, tookMs < graceMs && code === 0, detail);
  check(`${name} has logged no stack`, !/^\s+at /m.test(logOf(name)));
}

/** The configuration of the gateway for this machine, as test/int/gateway.int-spec.ts has it. */
function startGateway(ports) {
  const directory = join(DIRECTORY, 'gateway');
  mkdirSync(directory, { recursive: true });
  const conf = readFileSync(join(root, 'deploy/gateway/nginx.conf'), 'utf8')
    .replace(/server (\w+):\d+ resolve;/g, (_, app) => `server 127.0.0.1:${ports[app]};`)
    .replace('listen 8080;', `listen 127.0.0.1:${ports.gateway};`)
    .replace('/dev/stderr', '/tmp/error.log')
    .replaceAll(' /tmp/', ` ${directory}/`);
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, conf);
  const PATH = `${process.env['PATH']}:/usr/sbin`;
  const args = ['-p', directory, '-c', file, '-g', 'daemon off;'];
  return spawn('nginx', args, { env: { ...process.env, PATH }, stdio: 'ignore' });
}

async function smoke(url) {
  await responds(`${url}/healthz`);
  check('the gateway reports health', (await fetch(`${url}/readyz`)).status === 200);
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  check('the page is served', page.ok && (await page.text()).includes('<div id='));

  const ids = Array.from({ length: 20 }, () => randomUUID());
  const batch = ids.flatMap((id) => [startOf(id), endOf(id)]);
  await send(`${url}/call/upsert_batch`, { batch });
  const { call } = await send(`${url}/call/read`, { project_id: PROJECT, id: ids[3] });
  check('a call is read back', call?.output === ids[3]);
  const { count } = await send(`${url}/calls/query_stats`, { project_id: PROJECT });
  check('all calls are counted', count === 20, count);
  const obj = { project_id: PROJECT, object_id: 'config', val: { a: 1 } };
  const { digest } = await send(`${url}/obj/create`, { obj });
  const read = await send(`${url}/obj/read`, { project_id: PROJECT, object_id: 'config', digest });
  check('an object is read back', read.obj.val.a === 1);
}

function startOf(id) {
  const start = {
    project_id: PROJECT,
    id,
    trace_id: id,
    op_name: 'summarise',
    started_at: new Date().toISOString(),
    attributes: {},
    inputs: { id },
  };
  return { mode: 'start', req: { start } };
}

function endOf(id) {
  const end = {
    project_id: PROJECT,
    id,
    ended_at: new Date().toISOString(),
    output: id,
    summary: {},
  };
  return { mode: 'end', req: { end } };
}

async function send(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`api:${KEY}`)}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function responds(url) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(`${url} does not respond`);
}
