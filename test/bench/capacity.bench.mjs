#!/usr/bin/env node
// `npm run setup && node test/bench/capacity.bench.mjs` measures the bytes per call of docs/operations/capacity.md. It sends
// calls while no worker runs and reads memory and disk of Redis, then starts a worker and reads the disk of ClickHouse.
// Every call has its own text, because repeated texts compress too well.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { callBodies } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';

const WAIT_MS = 120_000;
const WORKER = fileURLToPath(new URL('../../dist/apps/worker/src/main.js', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    'per-request': { type: 'string', default: '100' },
  },
});
const calls = Number(flags.calls);
const perRequest = Number(flags['per-request']);
const run = Date.now() % 2 ** 24;
const perCall = (bytes) => Math.round(bytes / calls);

const server = await startLoadServer({ name: 'capacity', workers: 0 });
try {
  const before = await redisUse();
  await sendCalls();
  const after = await redisUse();
  const copied = await rewriteWhileStoring();
  console.table({
    'Redis, memory': { 'bytes per call': perCall(after.memory - before.memory) },
    'Redis, append-only file': { 'bytes per call': perCall(after.disk - before.disk) },
    'Redis, copied while the file was rewritten': { 'bytes per call': perCall(copied) },
    ...(await clickhouseUse()),
  });
} finally {
  await server.stop();
}

/** Sends the starts of a batch and then its ends. */
async function sendCalls() {
  for (let first = 0; first < calls; first += perRequest) {
    const project = `bench/capacity-${run}`;
    const { start, end } = callBodies({ project, run, perRequest, connection: first });
    const now = Date.now();
    await server.sendBatch(start.patch(first, now, now));
    await server.sendBatch(end.patch(first, now, now + 800));
  }
}

/** Stores the calls while Redis rewrites its file, and returns the bytes that Redis had to copy for it. */
async function rewriteWhileStoring() {
  const worker = await server.script('worker', WORKER, { args: ['--supervised'] });
  await worker.start();
  await server.redisCommand('BGREWRITEAOF');
  await until(async () => (await server.pendingFacts()) === 0);
  await until(async () => (await redisInfo('aof_rewrite_in_progress')) === 0);
  return redisInfo('aof_last_cow_size');
}

async function redisUse() {
  const directory = join(server.directory, 'redis', 'appendonlydir');
  const files = readdirSync(directory).map((file) => statSync(join(directory, file)).size);
  return {
    memory: await redisInfo('used_memory'),
    disk: files.reduce((sum, size) => sum + size, 0),
  };
}

async function redisInfo(field) {
  const info = await server.redisCommand('INFO');
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)[1]);
}

/** Merges each table completely, as ClickHouse does over time, and reads its size on disk. */
async function clickhouseUse() {
  const parts = `FROM system.parts WHERE active AND database = currentDatabase()`;
  const tables = await server.sql(`SELECT DISTINCT table ${parts} ORDER BY table`);
  for (const [table] of tables) await server.sql(`OPTIMIZE TABLE ${table} FINAL`);
  const sizes = await server.sql(
    `SELECT table, sum(bytes_on_disk) AS bytes ${parts} GROUP BY table HAVING table != 'prices' AND bytes >= ${calls} ORDER BY bytes DESC`,
  );
  return Object.fromEntries(
    sizes.map(([table, bytes]) => [
      `ClickHouse, ${table}`,
      { 'bytes per call': perCall(Number(bytes)) },
    ]),
  );
}

async function until(isTrue) {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('The calls were not stored in time.');
    await sleep(100);
  }
}
