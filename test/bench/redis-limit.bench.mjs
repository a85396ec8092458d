#!/usr/bin/env node
// `npm run setup && node test/bench/redis-limit.bench.mjs` measures how many calls per second one Redis can serve. All
// processes of a call cost far more CPU than Redis, so that one machine is full before Redis is. Therefore Redis gets only a
// share of one core (a control group of Linux, which needs root), until it is the slowest part; the rest of the machine must
// be idle. The result is calls per second and core of Redis, for several shares: it must not depend on the share.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callBodies } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { cpuMicros } from '../support/proc-cpu.mjs';

const CPU_GROUPS = '/sys/fs/cgroup/cpu';
const QUOTA_MICROS = 1000;
const CONNECTIONS = 8;
const DRAIN_MS = 120_000;
/** Below this part of its share Redis was not the slowest part, and the figure is no limit. */
const FULL = 0.9;

const { values: flags } = parseArgs({
  options: {
    shares: { type: 'string', default: '2,4' },
    seconds: { type: 'string', default: '20' },
    'per-request': { type: 'string', default: '100' },
  },
});
const perRequest = Number(flags['per-request']);
if (!existsSync(join(CPU_GROUPS, 'cpu.cfs_quota_us'))) {
  console.error(`This needs root and the control groups of Linux at ${CPU_GROUPS}.`);
  process.exit(1);
}

const onMachine = new MachineLoad();
const server = await startLoadServer({ name: 'redis-limit' });
const group = join(CPU_GROUPS, `heddle-redis-${process.pid}`);
mkdirSync(group);
try {
  const rows = [];
  for (const share of flags.shares.split(',').map(Number)) rows.push(await measure(share));
  console.table(rows);
  console.log(onMachine.report());
} finally {
  await server.stop();
  rmdirSync(group);
}

async function measure(percent) {
  limitRedis(percent);
  const before = { cpu: cpuMicros(server.redis.pid), at: performance.now() };
  const until = before.at + Number(flags.seconds) * 1000;
  const run = Date.now() % 2 ** 24;
  const connections = Array.from({ length: CONNECTIONS }, (_, i) => sendUntil(until, run, i));
  const results = await Promise.all(connections);
  await drained();
  const seconds = (performance.now() - before.at) / 1000;
  const calls = results.reduce((sum, result) => sum + result.calls, 0);
  const cpu = cpuMicros(server.redis.pid) - before.cpu;
  const used = cpu / 1e6 / seconds / (percent / 100);
  const perSecond = calls / seconds;
  return {
    'share of a core': `${percent} %`,
    'calls/s stored': Math.round(perSecond),
    'slowest ack, s': Math.max(...results.map(({ slowest }) => slowest)).toFixed(2),
    'Redis, µs a call': (cpu / calls).toFixed(1),
    'share used': `${Math.round(used * 100)} %`,
    'calls/s of a whole core':
      used < FULL ? 'Redis was not full' : Math.round(perSecond / (percent / 100)),
  };
}

function limitRedis(percent) {
  // Linux gives at least a millisecond per period, so a small share needs a long period.
  const period = Math.round(QUOTA_MICROS / (percent / 100));
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(period));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(QUOTA_MICROS));
  writeFileSync(join(group, 'cgroup.procs'), String(server.redis.pid));
}

/** Sends the starts of a batch and then its ends, again and again. */
async function sendUntil(until, run, connection) {
  const { start, end } = callBodies({
    project: `bench/limit-${connection}`,
    run,
    perRequest,
    connection,
  });
  let [calls, slowest] = [0, 0];
  for (let first = 0; performance.now() < until; first += perRequest) {
    const now = Date.now();
    for (const body of [start.patch(first, now, now), end.patch(first, now, now + 800)]) {
      const began = performance.now();
      await server.sendBatch(body);
      slowest = Math.max(slowest, (performance.now() - began) / 1000);
    }
    calls += perRequest;
  }
  return { calls, slowest };
}

async function drained() {
  const deadline = performance.now() + DRAIN_MS;
  while ((await server.pendingFacts()) > 0) {
    if (performance.now() > deadline) throw new Error('The calls were not stored in time.');
    await sleep(100);
  }
}
