// `npm run bench:objects` measures publishing, tables and refs. It starts a server and prints one table. OBJECTS, ROWS
// and REFS change the sizes; with ROWS=1000000 no process may hold the whole table in memory. Some objects are published
// one after the other, for at most a minute, and the others 64 at a time.
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { MachineLoad } from '../support/machine-load.mjs';
import { Meter } from '../support/proc-cpu.mjs';
import { startStandalone } from '../support/servers.mjs';

const sizes = {
  objects: Number(process.env.OBJECTS ?? 10_000),
  rows: Number(process.env.ROWS ?? 100_000),
  refs: Number(process.env.REFS ?? 1000),
};
const CHUNK_ROWS = 10_000;
const ALONE = { objects: 200, seconds: 60 };
const names = Math.min(500, sizes.objects);
const project_id = 'bench/objects';
const results = [];

const onMachine = new MachineLoad();
const { env, pid, stop } = await startStandalone();
const processes = { node: pid, ...childrenOf(pid) };
try {
  await publishing();
  await tables();
  await refs();
  console.table(Object.fromEntries(results));
  console.log(onMachine.report());
} finally {
  await stop();
}

function send(path, body) {
  return fetch(env.TEST_URL + path, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`api:${env.TEST_KEY}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

async function post(path, body) {
  const response = await send(path, body);
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** The pids of the worker and the engine, which are children of the server. */
function childrenOf(parent) {
  const args = ['-o', 'pid=,args=', '--ppid', String(parent)];
  const lines = execFileSync('ps', args, { encoding: 'utf8' }).split('\n');
  const pidOf = (pattern) =>
    Number(
      lines
        .find((line) => pattern.test(line))
        ?.trim()
        .split(' ')[0],
    );
  return { worker: pidOf(/worker/), engine: pidOf(/clickhouse/) };
}

/** Runs the tasks, `atOnce` at a time, and adds throughput, latency, CPU and memory to the results. */
async function measure(name, tasks, atOnce, itemsPerTask = 1, mostSeconds = Infinity) {
  const times = [];
  const waiting = tasks.values();
  const meter = new Meter(processes);
  const began = performance.now();
  const runner = async () => {
    for (const task of waiting) {
      if (performance.now() - began > 1000 * mostSeconds) return;
      const start = performance.now();
      await task();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
  const seconds = (performance.now() - began) / 1000;
  const took = meter.stop();
  times.sort((a, b) => a - b);
  console.error(`${name}: ${seconds.toFixed(1)} s`);
  const at = (share) => Math.round(times[Math.floor(times.length * share)] * 10) / 10;
  results.push([
    name,
    {
      requests: times.length,
      'items/s': Math.round((times.length * itemsPerTask) / seconds),
      'p50 ms': at(0.5),
      'p95 ms': at(0.95),
      'engine ms each': Math.round(took.engine.cpuMicros / times.length / 100) / 10,
      'node MiB': Math.round(took.node.rssMib.peak),
      'worker MiB': Math.round(took.worker.rssMib.peak),
    },
  ]);
  return times.length;
}

async function publishing() {
  const publish = (i) => () =>
    post('/obj/create', {
      obj: { project_id, object_id: `o${i % names}`, val: { i, text: 'some text '.repeat(10) } },
    });
  const all = Array.from({ length: sizes.objects }, (_, i) => publish(i));
  const few = all.slice(0, Math.min(ALONE.objects, Math.floor(all.length / 10)));
  const done = await measure('publish, one after the other', few, 1, 1, ALONE.seconds);
  await measure('publish, 64 at once', all.slice(done), 64);
  const read = (i) => () =>
    post('/obj/read', { project_id, object_id: `o${i % names}`, digest: 'latest' });
  await measure(
    'obj/read latest, 8 at once',
    Array.from({ length: 200 }, (_, i) => read(i)),
    8,
  );
}

async function tables() {
  const row = (n) => ({ n, score: (n * 7919) % 1000, text: `What is ${n}? `.repeat(5) });
  const digests = [];
  const chunks = Array.from({ length: Math.ceil(sizes.rows / CHUNK_ROWS) }, (_, c) => async () => {
    const count = Math.min(CHUNK_ROWS, sizes.rows - c * CHUNK_ROWS);
    const rows = Array.from({ length: count }, (_, i) => row(c * CHUNK_ROWS + i));
    digests[c] = (await post('/table/create', { table: { project_id, rows } })).row_digests;
  });
  await measure(`table/create, ${CHUNK_ROWS} rows each`, chunks, 2, CHUNK_ROWS);
  const row_digests = digests.flat();
  let digest;
  const whole = async () =>
    ({ digest } = await post('/table/create_from_digests', { project_id, row_digests }));
  await measure('table/create_from_digests', [whole], 1, row_digests.length);
  const page = (more) => async () => {
    const { rows } = await post('/table/query', { project_id, digest, limit: 100, ...more });
    if (rows.length !== 100) throw new Error(`a page of ${rows.length} rows`);
  };
  const offset = (i) => Math.floor((i * (sizes.rows - 100)) / 50);
  const pages = Array.from({ length: 50 }, (_, i) => page({ offset: offset(i) }));
  await measure('table/query, a page of 100', pages, 1, 100);
  const sort_by = [{ field: 'score', order: 'desc' }];
  await measure('table/query, the first sorted page', [page({ sort_by })], 1, 100);
  await measure(
    'table/query, the last sorted page',
    [page({ offset: sizes.rows - 100, sort_by })],
    1,
    100,
  );
  const sorted = Array.from({ length: 10 }, (_, i) => page({ offset: offset(i), sort_by }));
  await measure('table/query, more sorted pages', sorted, 1, 100);
  const count = () => post('/table/query_stats', { project_id, digest });
  await measure('table/query_stats', Array(20).fill(count), 1);
  await measure('table/query_stream, all rows', [() => stream(digest)], 1, sizes.rows);
}

/** Reads a whole table and checks that no row is missing. */
async function stream(digest) {
  const response = await send('/table/query_stream', { project_id, digest });
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines++;
  if (lines !== sizes.rows) throw new Error(`a stream of ${lines} rows`);
}

async function refs() {
  const { objs } = await post('/objs/query', {
    project_id,
    limit: sizes.refs,
    metadata_only: true,
  });
  const all = objs.map((o) => `weave:///${project_id}/object/${o.object_id}:${o.digest}/attr/i`);
  const single = all.slice(0, 100).map((ref) => () => post('/refs/read_batch', { refs: [ref] }));
  await measure('refs/read_batch, one ref each', single, 1);
  const batch = () => post('/refs/read_batch', { refs: all });
  await measure(`refs/read_batch, ${all.length} refs`, [batch, batch, batch], 1, all.length);
}
