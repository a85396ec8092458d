// `npm run bench:query [-- calls [rounds]]` measures queries of calls over HTTP, beside a classic layout with the same
// data on the same engine. CPU is that of the ClickHouse process and of the query process. The classic layout needs no
// query process, so two ratios are printed: of both processes, and of the engine alone. Run it on an idle machine. It
// starts its own processes in a temporary directory. For a query that misses its target it prints how ClickHouse
// executed it.
//   --only <regex>  executes only the queries whose name matches; `encodings` are responses with each encoding
//   --keep <dir>    loads the data into this directory and keeps it; data of an earlier run is used again
//   --text-index    adds the text index of `migrate --text-index`
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { waitForMerges } from '../support/merges.mjs';
import { positiveNumbers } from '../support/positive-numbers.mjs';
import { cpuMicros, rssMib } from '../support/proc-cpu.mjs';
import { PROJECT, QueryData } from './query-data.mjs';
import { classicStream, queries } from './bench-queries.mjs';
import { responseEncodings } from './response-encodings.mjs';

const { positionals, values: given } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    keep: { type: 'string' },
    'text-index': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const USAGE =
  'npm run bench:query [-- calls [rounds] [--only regex] [--keep directory] [--text-index]]';
const [CALLS, ROUNDS] = positiveNumbers(given.help ? ['help'] : positionals, [1_000_000, 7], USAGE);
const KEPT = given.keep && resolve(given.keep);
const LEAST_RATIO = 5;
const INTERACTIVE_MS = 150;
/** The longest time to wait for the merges that follow the last insert. */
const MERGED_WITHIN_MS = 120_000;
const STREAMED = 200_000;
const COLUMNS = [
  'query',
  'result',
  'wall_p50',
  'wall_p95',
  'cpu',
  'engine_cpu',
  'classic_wall_p50',
  'classic_cpu',
  'classic_result',
  'cpu_ratio',
  'engine_ratio',
  'missed',
];

const onMachine = new MachineLoad();
if (KEPT) mkdirSync(KEPT, { recursive: true });
const server = await startLoadServer({
  name: 'bench-query',
  ...(KEPT && { directory: KEPT }),
  ingests: 0,
  workers: 0,
  env: { QUERY_MAX_SECONDS: '600', QUERY_MAX_MEMORY_BYTES: String(4 * 1024 ** 3) },
});
const data = new QueryData(server, CALLS);
try {
  await loaded();
  await waitForMerges(server, MERGED_WITHIN_MS);
  const [[someId]] = await server.sql(`SELECT ${data.id(Math.floor(CALLS / 2) - 1)}`);
  const isChosen = (name) => new RegExp(given.only ?? '').test(name);
  const chosen = queries(CALLS, someId).filter(({ name }) => isChosen(name));
  const results = [];
  for (const query of chosen) results.push(await compared(query));
  const stream = isChosen(`stream ${STREAMED}`) ? await streamOf(STREAMED) : undefined;
  const encodings = isChosen('encodings') ? await responseEncodings(server, PROJECT) : undefined;
  console.table(onMachine.wasQuiet ? results : results.map(notJudged), COLUMNS);
  if (stream) console.table([stream]);
  if (encodings) console.table(encodings);
  for (const { query, explain } of results.filter((one) => one.explain)) show(query, explain);
  const figures = results.map((one) => ({ ...one, explain: undefined }));
  console.log(JSON.stringify({ calls: CALLS, results: figures, stream, encodings }));
  console.log(onMachine.report());
} finally {
  await server.stop({ keepFiles: KEPT !== undefined });
}
process.exit(0);

function notJudged(result) {
  return { ...result, missed: 'not judged' };
}

async function loaded() {
  if (given['text-index']) await server.cli('migrate', '--text-index');
  const mark = join(server.directory, `loaded-${CALLS}`);
  if (existsSync(mark)) return;
  await data.load();
  writeFileSync(mark, '');
  const [[mib]] = await server.sql(
    `SELECT round(sum(bytes_on_disk) / 1048576) FROM system.parts WHERE active AND table = 'calls'`,
  );
  console.log(`calls: ${Math.round(data.cpuMicros / CALLS)} µs of CPU each to load, ${mib} MiB`);
}

async function compared(query) {
  const { name, classic, interactive = false, leastRatio = LEAST_RATIO } = query;
  const ours = await measured(() => executed(query), ROUNDS);
  const theirs = await measured(() => executedClassic(classic), ROUNDS);
  const ratio = theirs.engine_cpu / Math.max(ours.cpu, 1);
  const engineRatio = theirs.engine_cpu / Math.max(ours.engine_cpu, 1);
  const missed = [
    ...(ratio < leastRatio ? [`${leastRatio}×`] : []),
    ...(interactive && ours.wall_p50 > INTERACTIVE_MS ? [`${INTERACTIVE_MS} ms`] : []),
  ].join(', ');
  process.stderr.write(`${name}: ${ours.wall_p50} ms, ${ratio.toFixed(1)}×\n`);
  return {
    query: name,
    ...ours,
    classic_wall_p50: theirs.wall_p50,
    classic_cpu: theirs.engine_cpu,
    classic_result: theirs.result,
    cpu_ratio: Number(ratio.toFixed(1)),
    engine_ratio: Number(engineRatio.toFixed(1)),
    missed,
    ...(missed === '' ? {} : { explain: await explained(query) }),
  };
}

/** The count that the response contains, or the number of calls in it. */
async function executed({ path, body }) {
  if (path === '/calls/stream_query') return streamed(body);
  const { count, call } = (await server.send(path, body)).json;
  return count ?? (call ? 1 : 0);
}

async function explained({ path, body }) {
  const response = await send(path, body, { 'x-heddle-explain': '1' });
  const lines = (await response.text()).trimEnd().split('\n');
  return JSON.parse(lines.at(-1)).explain;
}

function show(query, statements) {
  console.log(`\n${query}`);
  for (const { sql, rows_read, bytes_read, elapsed_ms, indexes } of statements) {
    console.log(`${sql}\n-- ${rows_read} rows, ${bytes_read} bytes, ${elapsed_ms} ms`);
    console.log(indexes.map((line) => `--   ${line}`).join('\n'));
  }
}

async function streamOf(limit) {
  const memory = rssMib(server.query.pid);
  let peak = memory;
  const watch = setInterval(() => (peak = Math.max(peak, rssMib(server.query.pid))), 50);
  const [started, cpu] = [performance.now(), cpuMicros(server.query.pid)];
  const engine = cpuMicros(server.clickhouse.pid);
  const calls = await streamed({ project_id: PROJECT, limit });
  const seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  return {
    calls,
    calls_per_second: Math.round(calls / seconds),
    query_cpu_micros_per_call: Math.round((cpuMicros(server.query.pid) - cpu) / calls),
    engine_cpu_micros_per_call: Math.round((cpuMicros(server.clickhouse.pid) - engine) / calls),
    classic_cpu_micros_per_call: await classicStreamMicros(limit),
    added_rss_mib: Math.round(peak - memory),
  };
}

/** CPU time of the engine per call of the classic layout. The calls are not sent, which favours the classic layout. */
async function classicStreamMicros(limit) {
  const before = cpuMicros(server.clickhouse.pid);
  await server.sql(
    `SELECT sum(length(inputs) + length(output)) FROM (${classicStream(limit)}) SETTINGS max_memory_usage = 0`,
  );
  return Math.round((cpuMicros(server.clickhouse.pid) - before) / limit);
}

/** The number of lines in the response of `calls/stream_query`. */
async function streamed(request) {
  const response = await send('/calls/stream_query', request);
  let lines = 0;
  for await (const piece of response.body) {
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++;
  }
  return lines;
}

async function send(path, body, headers = {}) {
  const response = await fetch(`http://127.0.0.1:${server.query.port}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // The results of the classic layout are not compressed either.
      'accept-encoding': 'identity',
      authorization: `Basic ${btoa(`api:${server.key}`)}`,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** CPU time of the engine, and of the engine and the query process together. */
async function measured(send, rounds) {
  const result = await send();
  const walls = [];
  const cpus = () => [server.clickhouse.pid, server.query.pid].map(cpuMicros);
  const before = cpus();
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await send();
    walls.push(performance.now() - started);
  }
  const [engine, query] = cpus().map((cpu, i) => (cpu - before[i]) / rounds / 1000);
  walls.sort((a, b) => a - b);
  const at = (share) =>
    Math.round(walls[Math.min(walls.length - 1, Math.floor(share * walls.length))]);
  return {
    result,
    wall_p50: at(0.5),
    wall_p95: at(0.95),
    cpu: Math.round(engine + query),
    engine_cpu: Math.round(engine),
  };
}

async function executedClassic(sql) {
  const rows = await server.sql(sql);
  return rows.length === 1 && rows[0].length === 1 ? Number(rows[0][0]) : rows.length;
}
