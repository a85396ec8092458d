// `npm run bench:growth [-- small medium large]` measures reads that a key bounds, on 100,000, 1,000,000 and 10,000,000 calls of
// mostly one project: they should take the same time on all. It also prints what a call takes on disk and in ClickHouse's memory,
// and how fast calls are rebuilt from the log, and compares four small reads on 100,000 calls with their targets. ClickHouse generates
// the calls. Run it on an idle machine with 20 GB of free disk.
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { waitForMerges } from '../support/merges.mjs';
import { positiveNumbers } from '../support/positive-numbers.mjs';
import { cpuMicros, rssMib } from '../support/proc-cpu.mjs';
import { FEEDBACK, PROJECT, QueryData } from './query-data.mjs';

const DEFAULT_SIZES = [100_000, 1_000_000, 10_000_000];
const given = process.argv.slice(2);
const SIZES = positiveNumbers(
  given,
  given.length > 0 ? [0, 0, 0] : DEFAULT_SIZES,
  'npm run bench:growth [-- small medium large]',
);
const ROUNDS = 60;
/** Reads of each kind that are not measured: a server that has just started executes code that is not compiled yet. */
const WARM_UPS = 200;
/** Reads that are explained: each is executed and planned again. */
const EXPLAINED = 15;
const MOST_RATIO = 1.3;
const CALLS_PER_INSERT = 100_000;
/** A call of the measured project that has feedback: some traces belong to other projects, and one call in fifty has any. */
const WITH_FEEDBACK = 403;
const OBJECTS = 50;
const VERSIONS = 4;
const REBUILT = 20_000;
const STORED_WITHIN_MS = 120_000;
/** The longest time to wait for the merges that follow the last insert. */
const MERGED_WITHIN_MS = 300_000;

const onMachine = new MachineLoad();
const stores = [];
for (const calls of SIZES) stores.push(await measuredWith(calls));
const [small] = stores;
console.table(
  small.reads.map(({ read }, i) => {
    const at = stores.map(({ reads }) => reads[i]);
    const ratio = Math.max(...at.map(({ ms }) => ms)) / Math.max(at[0].ms, 1);
    const each = (value) => at.map(value).join(' → ');
    return {
      read,
      ms: each(({ ms }) => ms),
      'largest ratio': Number(ratio.toFixed(2)),
      'CPU ms': each(({ cpuMs }) => cpuMs),
      'statements, ms': each(({ statementMs }) => statementMs),
      rows: each(({ rows }) => rows),
      missed: judged(ratio > MOST_RATIO ? `${MOST_RATIO}×` : ''),
    };
  }),
);
console.table(small.common.map((one) => ({ ...one, missed: judged(one.missed) })));
console.table(stores.map(({ store }) => store));
console.log(onMachine.report());
process.exit(0);

function judged(missed) {
  return onMachine.wasQuiet ? missed : 'not judged';
}

async function measuredWith(calls) {
  const server = await startLoadServer({ name: 'bench-growth' });
  try {
    const loadMicros = await load(server, calls);
    const reads = [];
    for (const one of await keyBounded(server, calls)) reads.push(await measured(server, one));
    const common = calls === SIZES[0] ? await commonReads(server, calls) : undefined;
    const [[bytes, parts]] = await server.sql(
      `SELECT toUInt64(sum(bytes_on_disk)), toUInt32(count()) FROM system.parts WHERE active AND table = 'calls'`,
    );
    const store = {
      calls,
      parts,
      'bytes per call': Math.round(bytes / calls),
      'CPU µs per call to load': loadMicros,
      'ClickHouse, MiB': Math.round(rssMib(server.clickhouse.pid)),
      'query, MiB': Math.round(rssMib(server.query.pid)),
      'rebuilt calls per second': calls === SIZES[0] ? await rebuildRate(server) : undefined,
    };
    return { reads, common, store };
  } finally {
    await server.stop();
  }
}

async function load(server, calls) {
  const data = new QueryData(server, calls);
  const before = cpuMicros(server.clickhouse.pid);
  for (let from = 0; from < calls; from += CALLS_PER_INSERT) {
    const count = Math.min(CALLS_PER_INSERT, calls - from);
    await server.sql(data.insertCalls(from, count, 'number % 5 < 2', false));
    await server.sql(data.insertCalls(from, count, 'true', true));
    data.progress(from + count);
  }
  const micros = Math.round((cpuMicros(server.clickhouse.pid) - before) / calls);
  await waitForMerges(server, MERGED_WITHIN_MS);
  return micros;
}

/** Reads whose rows are found by their key: by id, by trace, or by time. */
async function keyBounded(server, calls) {
  const data = new QueryData(server, calls);
  const [[id, at]] = await server.sql(
    `SELECT ${data.id((calls >> 2) - 1)}, toUnixTimestamp64Milli(${data.startedAt(calls >> 2)}) / 1000`,
  );
  const newest = { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 50 };
  const before = { query: { $expr: { $lt: [{ $getField: 'started_at' }, { $literal: at }] } } };
  const filter = { op_names: ['weave:///bench/large/op/op2:v2'], trace_roots_only: true };
  return [
    ['read by id', '/call/read', { id }],
    ['newest 50', '/calls/stream_query', newest],
    ['newest 50 before a time', '/calls/stream_query', { ...newest, ...before }],
    ['newest 50 roots of one op', '/calls/stream_query', { ...newest, filter }],
    ['a 200-call trace', '/calls/stream_query', { filter: { trace_ids: ['trace-7'] } }],
    ['tree of a 200-call trace', '/trace/tree', { trace_id: 'trace-7' }],
  ];
}

/** Small reads that everyone makes, with the most that each may take. */
async function commonReads(server, calls) {
  const data = new QueryData(server, calls);
  await server.sql(data.insertFeedback(0, calls, FEEDBACK));
  await Promise.all(
    Array.from({ length: OBJECTS }, (_, i) => publishVersions(server, `object-${i}`)),
  );
  const [[id]] = await server.sql(`SELECT ${data.id(WITH_FEEDBACK)}`);
  const ofCall = {
    $expr: { $eq: [{ $getField: 'weave_ref' }, { $literal: `weave:///${PROJECT}/call/${id}` }] },
  };
  const latest = { filter: { latest_only: true }, limit: OBJECTS };
  const results = [];
  for (const [mostMs, finds, ...read] of [
    [10, ({ call }) => call !== null, 'read by id', '/call/read', { id }],
    [12, ({ count }) => count > 0, 'count', '/calls/query_stats', {}],
    [
      8,
      ({ result }) => result.length > 0,
      'feedback of a call',
      '/feedback/query',
      { query: ofCall },
    ],
    [20, ({ objs }) => objs.length === OBJECTS, `latest ${OBJECTS} objects`, '/objs/query', latest],
  ]) {
    const [name, path, body] = read;
    if (!finds(JSON.parse(await sent(server, path, { project_id: PROJECT, ...body }))))
      throw new Error(`${name} finds nothing`);
    const result = await measured(server, read);
    results.push({ ...result, 'most ms': mostMs, missed: result.ms > mostMs ? 'missed' : '' });
  }
  return results;
}

async function publishVersions(server, object_id) {
  for (let version = 0; version < VERSIONS; version++) {
    const obj = { project_id: PROJECT, object_id, val: { version, text: 'a value '.repeat(20) } };
    await sent(server, '/obj/create', { obj }, server.ingests[0].port);
  }
}

async function measured(server, [read, path, body]) {
  const send = () => sent(server, path, { project_id: PROJECT, ...body });
  for (let i = 0; i < WARM_UPS; i++) await send();
  const walls = [];
  const cpu = () => cpuMicros(server.clickhouse.pid) + cpuMicros(server.query.pid);
  const before = cpu();
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await send();
    walls.push(performance.now() - started);
  }
  const cpuMs = Math.round((cpu() - before) / ROUNDS / 1000);
  walls.sort((a, b) => a - b);
  const ms = Number(walls[ROUNDS >> 1].toFixed(1));
  process.stderr.write(`${read}: ${ms} ms\n`);
  return { read, ms, cpuMs, ...(await explained(server, path, body)) };
}

/** The rows that ClickHouse read for it, and the median time of its statements. The response ends with an explanation when it is requested. */
async function explained(server, path, body) {
  const times = [];
  let rows = 0;
  for (let i = 0; i < EXPLAINED; i++) {
    const request = { project_id: PROJECT, ...body };
    const text = await sent(server, path, request, server.query.port, { 'x-heddle-explain': '1' });
    const { explain } = JSON.parse(text.trimEnd().split('\n').at(-1));
    times.push(explain.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0));
    rows = explain.reduce((sum, { rows_read }) => sum + rows_read, 0);
  }
  times.sort((a, b) => a - b);
  return { rows, statementMs: Number(times[EXPLAINED >> 1].toFixed(1)) };
}

async function sent(server, path, body, port = server.query.port, headers = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`api:${server.key}`)}`,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || text === '') throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

/** Sends calls through ingest and workers, so that the log has them, and rebuilds the table from it. */
async function rebuildRate(server) {
  await server.sql('TRUNCATE TABLE calls');
  const prompt = 'some words of a prompt '.repeat(120);
  const started_at = new Date().toISOString();
  for (let from = 0; from < REBUILT; from += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => ({
      mode: 'start',
      req: {
        start: {
          ...{ project_id: 'bench/rebuilt', id: `call-${from + i}`, trace_id: `trace-${from}` },
          ...{ op_name: 'op', started_at, attributes: {}, inputs: { prompt, nth: from + i } },
        },
      },
    }));
    await server.sendBatch(JSON.stringify({ batch }));
  }
  for (let waits = 0; (await server.pendingFacts()) > 0; waits++) {
    if (waits > STORED_WITHIN_MS / 200) throw new Error('Workers have not stored the calls.');
    await sleep(200);
  }
  const begun = performance.now();
  await server.cli('rebuild');
  return Math.round(REBUILT / ((performance.now() - begun) / 1000));
}
