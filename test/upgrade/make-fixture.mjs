// Makes the data directory of the first release that test/e2e/upgrade.e2e-spec.ts upgrades. README.md says how to run it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { PENDING, reads, STORED } from './first-release-requests.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Writes of records are acknowledged once they are readable, which they are not while the worker is stopped. */
const GIVE_UP_MS = 2000;

const checkout = resolve(process.argv[2] ?? '');
const directory = mkdtempSync(join(tmpdir(), 'heddle-fixture-'));
const { startHouse: startServer } = await import(
  pathToFileURL(join(checkout, 'test/support/load-house.mjs')).href
);

const first = await startServer({ name: 'fixture', directory });
const keys = {};
const digests = {};
for (const request of STORED) await write(first, request);
await settled(first);
await first.workers[0].stop();
for (const request of PENDING) await write(first, request);
await first.stop({ keepFiles: true });
const packed = pack();

// The same release stores what is pending, and its responses are what later releases must return.
const second = await startServer({ name: 'fixture', directory });
await settled(second);
const responses = [];
for (const request of reads(digests))
  responses.push({ request, response: await read(second, request) });
await second.stop();
rmSync(directory, { recursive: true, force: true });

const recorded = { key: first.key, keys, responses };
writeFileSync(join(here, 'first-release.json'), `${JSON.stringify(recorded, null, 2)}\n`);
console.log(`${packed} and first-release.json are written.`);

async function write(server, { path, body, form, method = 'POST', as, digest }) {
  const init = { method, headers: authorization(server.key), body: JSON.stringify(body) };
  if (form === undefined) init.headers['content-type'] = 'application/json';
  else init.body = formData(form);
  const signal = AbortSignal.timeout(server.workers[0].isRunning ? 30_000 : GIVE_UP_MS);
  const url = `http://127.0.0.1:${server.ingests[0].port}${path}`;
  try {
    const response = await fetch(url, { ...init, signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    if (as !== undefined) keys[as] = JSON.parse(text).key;
    if (digest !== undefined) digests[digest] = JSON.parse(text).digest;
  } catch (error) {
    if (error.name !== 'TimeoutError' || server.workers[0].isRunning) throw error;
  }
}

async function read(server, { path, body, isText = false }) {
  const response = await fetch(`http://127.0.0.1:${server.query.port}${path}`, {
    method: 'POST',
    headers: { ...authorization(server.key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return isText ? text : JSON.parse(text);
}

function authorization(key) {
  return { authorization: `Basic ${btoa(`api:${key}`)}` };
}

function formData({ project_id, name, content }) {
  const data = new FormData();
  data.append('project_id', project_id);
  data.append('file', new Blob([content]), name);
  return data;
}

/** Resolves when the queue is empty, and the jobs that follow a write have had their turn. */
async function settled(server) {
  const pending = async () =>
    Number(await server.redisCommand('ZCARD', '{heddle}:inflight')) +
    Number(await server.redisCommand('ZCARD', '{heddle}:records:inflight')) +
    Number(await server.redisCommand('LLEN', '{heddle}:audit'));
  while ((await pending()) > 0) await sleep(100);
  await sleep(3000);
}

/** Packs the directory as standalone has it: `redis` and `clickhouse/engine-data`. */
function pack() {
  const packing = join(directory, 'packing');
  mkdirSync(join(packing, 'clickhouse'), { recursive: true });
  cpSync(join(directory, 'redis'), join(packing, 'redis'), { recursive: true });
  cpSync(join(directory, 'clickhouse'), join(packing, 'clickhouse-data'), { recursive: true });
  renameSync(join(packing, 'clickhouse-data'), join(packing, 'clickhouse/engine-data'));
  const file = join(here, 'first-release.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', packing, 'redis', 'clickhouse']);
  rmSync(packing, { recursive: true });
  return file;
}
