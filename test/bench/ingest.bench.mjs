#!/usr/bin/env node
// `npm run bench:ingest` measures what writing a call costs. It starts a split server in a temporary directory, sends load
// from another process, and prints CPU per call and process, throughput, latency and memory, beside two baselines on the
// same engine. A call is a start (3.0 KB) and an end (1.7 KB) in different requests. `npm run chaos` uses the same server.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { cpuMicros, Meter, percentile } from '../support/proc-cpu.mjs';
import { machine, print, targets } from './ingest-report.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CONNECTIONS = 16;
/** Calls that one project sends in a burst while another project sends single calls. */
const BURST = 100_000;
/** The longest time to wait for the merges that follow the last insert. */
const MERGED_WITHIN_MS = 15_000;

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string' },
    calls: { type: 'string' },
    minutes: { type: 'string', default: '0' },
    json: { type: 'string' },
    profile: { type: 'string' },
    only: { type: 'string', default: '.' },
    reference: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (flags.help) {
  console.log(`npm run bench:ingest -- [--seconds n] [--calls n] [--minutes n] [--json file] [--profile dir] [--only regex] [--reference] [--quick]
  --seconds  duration of each run (20; 0.5 with --quick)
  --calls    calls per run at most
  --minutes  minutes of full load at the end, to measure memory (0: none)
  --json     write the figures to this file, in addition to printing them
  --profile  write CPU profiles of Heddle's processes to this directory; runs only 100 calls per request
  --only     run only the loads whose names match; full load always runs
  --reference  run only full load and the same rows in synchronous inserts
  --quick    a smoke test of about ten seconds; its figures mean little`);
  process.exit(0);
}
const seconds = Number(flags.seconds ?? (flags.quick ? 0.5 : 20));
const calls = Number(flags.calls ?? Number.MAX_SAFE_INTEGER);
const minutes = Number(flags.minutes);

const only = new RegExp(flags.reference ? '^(heddle, 100 per request|synchronous)' : flags.only);
const isWanted = (name) => only.test(name);

let runNumber = Date.now() % 2 ** 24;
const onMachine = new MachineLoad();
const nodeFlags = flags.profile ? ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`] : [];
const server = await startLoadServer({ name: 'bench', nodeFlags });
const load = await startLoad();
const report = {
  date: new Date().toISOString(),
  machine: machine(),
  seconds,
  runs: [],
};
try {
  if (flags.profile) await run('heddle, 100 per request');
  else {
    await measureAll();
    print(report);
  }
  if (!flags.profile) console.log(JSON.stringify(report));
  if (flags.json) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  load.end();
  await server.stop();
}
process.exit(report.runs.every(({ wrong }) => wrong === undefined) ? 0 : 1);

async function measureAll() {
  await run('warm-up', { seconds: flags.quick ? 0.5 : 5 });
  report.runs.length = 0;

  const full = await run('heddle, 100 per request');
  const at = (share) => ({
    callsPerSecond: Math.max(1, Math.round(full.callsPerSecond * share)),
  });
  const read = { samplesPerSecond: 4 };
  // Full load is not read, so its CPU is compared with a half load that is not read either.
  const half = await runIfWanted('heddle, 100, half load', at(0.5));
  const halfRead = await runIfWanted('heddle, 100, half load, read', { ...at(0.5), ...read });
  const tenth = flags.quick
    ? undefined
    : await runIfWanted('heddle, 100, a tenth, read', { ...at(0.1), ...read });
  const single = await runIfWanted('heddle, 1 per request', { perRequest: 1 });
  const complete = await runIfWanted('heddle, 100, complete', { complete: true });
  const closed = [];
  if (!flags.quick) {
    await runIfWanted('heddle, 100, ends 2 s later', { apartMs: 2000 });
    await runIfWanted('heddle, 1,000 per request', { perRequest: 1000 });
    for (const connections of [8, 64, 256]) {
      const plan = { connections, samplesPerSecond: 4 };
      closed.push(await runIfWanted(`heddle, 100, ${connections} connections`, plan));
    }
  }
  const lone = isWanted('a lone call') ? await loneCalls(flags.quick ? 3 : 20) : undefined;
  const besideBurst = flags.quick || !isWanted('burst') ? undefined : await callsBesideBurst(BURST);
  const sync = isWanted('synchronous') ? await runSync() : undefined;
  const jobs = isWanted('job per event') ? await runJobs() : undefined;
  const long =
    minutes > 0 ? await run(`heddle, 100, ${minutes} min`, { seconds: minutes * 60 }) : undefined;
  report.lone = lone;
  report.besideBurst = besideBurst;
  report.ratios = {
    ...(sync && { 'synchronous insert / heddle': sync.cpuTotal / full.cpuTotal }),
    ...(jobs && { 'job per event / heddle': jobs.cpuTotal / full.cpuTotal }),
    ...(half && { 'half load / full load': half.cpuTotal / full.cpuTotal }),
    ...(halfRead && { 'half load, read / full load': halfRead.cpuTotal / full.cpuTotal }),
  };
  const measured = {
    full,
    half,
    halfRead,
    tenth,
    single,
    complete,
    closed,
    lone,
    besideBurst,
    sync,
    long,
  };
  report.targets = targets(measured, minutes);
  report.machineLoad = onMachine.report();
  report.isQuiet = onMachine.wasQuiet;
}

function runIfWanted(name, plan) {
  return isWanted(name) ? run(name, plan) : undefined;
}

function ourProcesses() {
  const [ingest] = server.ingests;
  const [worker] = server.workers;
  return {
    ingest,
    worker,
    query: server.query,
    redis: server.redis,
    clickhouse: server.clickhouse,
  };
}

/** Sends one load to the server, or to a baseline: a `target` with `members`, `port`, `table` and `drain`. */
async function run(name, plan = {}, target = {}) {
  const members = target.members ?? ourProcesses();
  const project = `bench/run-${++runNumber}`;
  const before = await flushed();
  const meter = new Meter(
    Object.fromEntries(Object.entries(members).map(([part, { pid }]) => [part, pid])),
    plan.seconds > 60 ? 2000 : 250,
  );
  const sent = await load.run({
    ports: { ingest: target.port ?? server.ingests[0].port, query: server.query.port },
    key: server.key,
    project,
    run: runNumber,
    perRequest: 100,
    connections: CONNECTIONS,
    seconds,
    calls,
    apartMs: 0,
    callsPerSecond: 0,
    samplesPerSecond: 0,
    drain: target.drain ?? 'own writes',
    ...plan,
  });
  const measured = meter.stop();
  const after = await flushed();
  const mergeMicros = await merges();
  const result = {
    name,
    ...sent,
    callsPerSecond: sent.calls / sent.seconds,
    cpu: mapValues(measured, ({ cpuMicros: micros }) => micros / sent.calls),
    cpuTotal: sum(Object.values(measured).map((one) => one.cpuMicros)) / sent.calls,
    mergeCpu: mergeMicros / sent.calls,
    threadCpu: mapValues(measured, ({ threadMicros }) =>
      mapValues(threadMicros, (micros) => micros / sent.calls),
    ),
    rssMib: mapValues(measured, ({ rssMib }) => rssMib),
    ...(target.members ? {} : flushesPerCall(before, after, sent.calls)),
    ...(await wrong(project, sent.calls, target.table ?? 'calls')),
  };
  report.runs.push(result);
  progress(result);
  return result;
}

/** What the worker has done so far: rows of calls, flushes and facts in them, and calls whose facts it read from the log. */
function flushed() {
  return server.metrics(server.workers[0], [
    'heddle_worker_rows_written_total',
    'heddle_worker_flush_facts_count',
    'heddle_worker_flush_facts_sum',
    'heddle_worker_calls_read_total',
  ]);
}

/** A call whose start and end are in different flushes is written twice, and read if the worker has forgotten its start. */
function flushesPerCall(before, after, sentCalls) {
  const [rows, flushes, facts, read] = after.map((value, i) => value - before[i]);
  return {
    rowsPerCall: rows / sentCalls,
    factsPerFlush: facts / flushes,
    readsPerCall: read / sentCalls,
  };
}

/** Checks that every acknowledged call is stored once and with its end; otherwise the figures mean nothing. */
async function wrong(project, expected, table) {
  const [[count, ended]] = await server.sql(
    `SELECT count(), countIf(ended_at > toDateTime64(0, 6)) FROM ${table} FINAL WHERE project_id = '${project}'`,
  );
  return Number(count) === expected && Number(ended) === expected
    ? {}
    : { wrong: `${expected} calls were acknowledged, ${count} are stored, ${ended} have an end` };
}

/** Waits until ClickHouse has finished its merges, and resolves with the CPU time they took. */
async function merges() {
  const { pid } = server.clickhouse;
  const before = cpuMicros(pid);
  const deadline = Date.now() + (flags.quick ? 0 : MERGED_WITHIN_MS);
  for (let last = before; Date.now() < deadline;) {
    await sleep(1000);
    const now = cpuMicros(pid);
    if (now - last < 50_000) break;
    last = now;
  }
  return cpuMicros(pid) - before;
}

/** Sends one call at a time to an idle server, and measures the time from its response until it can be read. */
async function loneCalls(times) {
  const visible = [];
  for (let i = 0; i < times; i++) {
    await sleep(700);
    visible.push((await loneCall(load, 700)).visibleMs);
  }
  return { times, ...spreads(visible) };
}

/** Measures single calls from their request until they can be read, while another project sends a burst. */
async function callsBesideBurst(calls) {
  const other = await startLoad();
  const through = [];
  let isOver = false;
  const burst = run(`heddle, 100, burst of ${calls} calls`, { calls, seconds: 600 }).finally(
    () => (isOver = true),
  );
  while (!isOver) {
    through.push((await loneCall(other, 0)).throughMs);
    await sleep(100);
  }
  await burst;
  other.end();
  return { times: through.length, ...spreads(through) };
}

/** Sends one call. The result has the times until its start and its end could be read. */
function loneCall(by, apartMs) {
  return by.run({
    ports: { ingest: server.ingests[0].port, query: server.query.port },
    key: server.key,
    project: `bench/lone-${runNumber}`,
    run: ++runNumber,
    perRequest: 1,
    connections: 1,
    seconds: 60,
    calls: 1,
    apartMs,
    callsPerSecond: 0,
    samplesPerSecond: 1000,
    drain: '',
  });
}

function spreads(samples) {
  const of = (kind) => samples.map((one) => one[kind].max);
  const spread = (ms) => ({
    p50: percentile(ms, 0.5),
    p99: percentile(ms, 0.99),
    max: Math.max(...ms),
  });
  return { start: spread(of('start')), end: spread(of('end')) };
}

async function runSync() {
  const table = await copyOfCalls('bench_sync');
  const baseline = await server.script('baseline-sync', here('baseline-server.mjs'), {
    args: ['sync', table],
  });
  await baseline.start();
  const members = { ingest: baseline, clickhouse: server.clickhouse };
  const result = await run(
    'synchronous insert, 100',
    {},
    { members, port: baseline.port, table, drain: '' },
  );
  await baseline.stop();
  return result;
}

async function runJobs() {
  const table = await copyOfCalls('bench_jobs');
  const script = (role) =>
    server.script(`baseline-${role}`, here('baseline-server.mjs'), { args: [role, table] });
  const [producer, worker] = [await script('producer'), await script('worker')];
  await Promise.all([producer.start(), worker.start()]);
  const members = { ingest: producer, worker, redis: server.redis, clickhouse: server.clickhouse };
  const drain = `http://127.0.0.1:${producer.port}/pending`;
  // The producer is much faster than the worker, which needs most of the time to catch up.
  const plan = { seconds: seconds / 4 };
  const result = await run('job per event, 100', plan, {
    members,
    port: producer.port,
    table,
    drain,
  });
  await Promise.all([producer.stop(), worker.stop()]);
  return result;
}

async function copyOfCalls(table) {
  await server.sql(`CREATE TABLE ${table} AS calls`);
  return table;
}

/** Starts the load generator as a child process that runs one plan at a time. */
async function startLoad() {
  const child = fork(here('../support/load-generator.mjs'), { stdio: 'inherit' });
  const next = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`The load ended with ${code}.`)));
    });
  await next();
  child.setMaxListeners(0);
  return {
    run: async (plan) => {
      const response = next();
      child.send(plan);
      const { result, problem } = await response;
      if (problem) throw new Error(problem);
      return result;
    },
    end: () => child.disconnect(),
  };
}

function progress({ name, calls: count, callsPerSecond, cpuTotal, wrong: problem }) {
  const rate = Math.round(callsPerSecond).toLocaleString('en');
  process.stderr.write(
    `${name}: ${count} calls, ${rate}/s, ${Math.round(cpuTotal)} µs${problem ? `  WRONG: ${problem}` : ''}\n`,
  );
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
