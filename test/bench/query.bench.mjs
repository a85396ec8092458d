// `npm run bench:query [-- calls [rounds]]`: what the questions about calls cost over HTTP, beside a classic layout with
// the same data on the same engine. CPU is that of the ClickHouse process and of the query process; run it on a quiet
// machine. Starts its own processes in a temporary directory.
import { rmSync } from 'node:fs';
import { startHouse } from '../support/load-house.mjs';
import { cpuMicros, rssMib } from '../support/proc-cpu.mjs';

const { pathHash } = await import(
  new URL('../../dist/libs/wire/src/index.js', import.meta.url).href
);

const CALLS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const PROJECT = 'bench/large';
const BIG_TRACE = Math.min(30_000, Math.floor(CALLS / 10));

/** As others lay it out: halves merged by the engine where it can, grouped at every reading, LZ4. */
const CLASSIC = `CREATE TABLE call_parts (
  project_id String, id String,
  ${['trace_id', 'parent_id', 'op_name'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')},
  started_at SimpleAggregateFunction(any, Nullable(DateTime64(6, 'UTC'))),
  ${['inputs_dump', 'attributes_dump'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')},
  ended_at SimpleAggregateFunction(any, Nullable(DateTime64(6, 'UTC'))),
  ${['exception', 'output_dump', 'summary_dump'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')}
) ENGINE = AggregatingMergeTree ORDER BY (project_id, id)`;

const house = await startHouse({
  name: 'bench-query',
  ingests: 0,
  workers: 0,
  env: { QUERY_MAX_SECONDS: '600', QUERY_MAX_MEMORY_BYTES: String(4 * 1024 ** 3) },
});
try {
  await load();
  await compare();
} finally {
  await house.stop();
  rmSync(house.directory, { recursive: true, force: true });
}
process.exit(0);

/** Rows are made by ClickHouse itself: the same call by number in both layouts. */
async function load() {
  await house.sql(CLASSIC);
  const step = Math.max(1, Math.floor(CALLS / 50));
  for (let from = 0; from < CALLS; from += step) {
    const count = Math.min(step, CALLS - from);
    // 40 % of calls are first stored without their end, in a batch of their own.
    await house.sql(insertCalls(from, count, 'number % 5 < 2', false));
    await house.sql(insertCalls(from, count, 'true', true));
    await house.sql(insertParts(from, count, 'start'));
    await house.sql(insertParts(from, count, 'end'));
    progress(from + count);
  }
}

function progress(done) {
  const width = 40;
  const filled = Math.round((done / CALLS) * width);
  process.stderr.write(
    `\rloading [${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done} calls`,
  );
  if (done >= CALLS) process.stderr.write('\n');
}

function fields() {
  return `multiIf(number % 100 = 0, 'bench/small', number % 10 = 1, 'bench/middle', '${PROJECT}') AS project_id,
    toDateTime64('2026-02-01 00:00:00', 6, 'UTC') + toIntervalMillisecond(intDiv(number * 2592000, ${CALLS}) * 1000 + number % 1000) AS started_at,
    concat('call-', leftPad(toString(number), 10, '0')) AS id,
    if(number BETWEEN ${CALLS >> 1} AND ${(CALLS >> 1) + BIG_TRACE}, 'big-trace', concat('trace-', toString(intDiv(number, 200)))) AS trace_id,
    if(number % 20 = 2, '', concat('call-', leftPad(toString(intDiv(number, 20) * 20 + 2), 10, '0'))) AS parent_id,
    concat('weave:///bench/large/op/op', toString(number % 12), ':v', toString(number % 3)) AS op_name,
    concat('{"meta":{"customer":"c', toString(cityHash64(number) % 5000), '"},"params":{"temperature":', toString((cityHash64(number, 1) % 1000) / 1000), '},"prompt":"', substring(repeat(concat('word', toString(number % 977), ' is here. '), 60), 1, 900), '"}') AS inputs,
    concat('{"text":"', substring(repeat(concat('answer ', toString(number % 991), ' '), 60), 1, 700), '"}') AS output,
    '{"usage":{"gpt":{"requests":1,"prompt_tokens":120,"completion_tokens":40}}}' AS summary`;
}

function insertCalls(from, count, where, ended) {
  const end = (is, isNot) => (ended ? is : isNot);
  return `INSERT INTO calls (project_id, started_at, id, trace_id, parent_id, op_name, op_id, ended_at, status, exception, inputs, output, summary, attributes, size_bytes, leaf_s, leaf_n, leaf_rest, leaf_full, version, is_deleted)
  SELECT project_id, started_at, id, trace_id, parent_id, op_name, splitByString(':v', op_name)[1],
    ${end(`started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000)`, `toDateTime64(0, 6, 'UTC')`)},
    ${end(`if(number % 33 = 0, 'error', 'success')`, `'running'`)}, ${end(`if(number % 33 = 0, 'boom', '')`, `''`)},
    inputs, ${end('output', `''`)}, ${end('summary', `''`)}, '{"env":"prod"}', length(inputs) + length(output),
    map('inputs.meta.customer', JSONExtractString(inputs, 'meta', 'customer'), 'attributes.env', 'prod'),
    map('inputs.params.temperature', JSONExtractFloat(inputs, 'params', 'temperature')${ended ? `, 'summary.usage.gpt.prompt_tokens', 120., 'summary.usage.gpt.completion_tokens', 40.` : ''}),
    [${rest(ended).join(', ')}], 2, ${ended ? 2 : 1}, 0
  FROM (SELECT number, ${fields()} FROM numbers(${from}, ${count}) WHERE ${where})`;
}

/** As the worker would: objects, and texts that are too long for a leaf. */
function rest(ended) {
  const start = ['attributes', 'inputs', 'inputs.meta', 'inputs.params', 'inputs.prompt'];
  const end = ['output', 'output.text', 'summary', 'summary.usage', 'summary.usage.gpt'];
  return [...start, ...(ended ? end : [])].map((path) => pathHash(Buffer.from(path)));
}

function insertParts(from, count, half) {
  const columns =
    half === 'start'
      ? `project_id, id, trace_id, parent_id, op_name, started_at, inputs AS inputs_dump, '{"env":"prod"}' AS attributes_dump, NULL AS ended_at, NULL AS exception, NULL AS output_dump, NULL AS summary_dump`
      : `project_id, id, NULL AS trace_id, NULL AS parent_id, NULL AS op_name, NULL AS started_at, NULL AS inputs_dump, NULL AS attributes_dump, started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000) AS ended_at, if(number % 33 = 0, 'boom', NULL) AS exception, output AS output_dump, summary AS summary_dump`;
  return `INSERT INTO call_parts SELECT ${columns} FROM (SELECT number, ${fields()} FROM numbers(${from}, ${count}))`;
}

async function compare() {
  const list = (request) => () => streamed({ project_id: PROJECT, ...request });
  const count = (request) => async () =>
    (await house.ask('/calls/query_stats', { project_id: PROJECT, ...request })).json.count;
  const query = ($expr) => ({ query: { $expr } });
  const field = ($getField) => ({ $getField });
  const newest = [{ field: 'started_at', direction: 'desc' }];
  const op = 'weave:///bench/large/op/op2:v2';
  const someId = `call-${String(Math.floor(CALLS / 2) - 1).padStart(10, '0')}`;
  const cases = [
    [
      'read by id',
      async () =>
        (await house.ask('/call/read', { project_id: PROJECT, id: someId })).json.call ? 1 : 0,
      `${classic('*', `id = '${someId}'`)}`,
    ],
    [
      'latest 50',
      list({ sort_by: newest, limit: 50 }),
      classic('*', '', 'ORDER BY started_at DESC LIMIT 50'),
    ],
    [
      'latest 50 roots of one op',
      list({ sort_by: newest, limit: 50, filter: { op_names: [op], trace_roots_only: true } }),
      classic(
        '*',
        '',
        `HAVING op_name = '${op}' AND parent_id = '' ORDER BY started_at DESC LIMIT 50`,
      ),
    ],
    [
      `offset ${CALLS / 10}`,
      list({ sort_by: newest, limit: 50, offset: CALLS / 10 }),
      classic('*', '', `ORDER BY started_at DESC LIMIT 50 OFFSET ${CALLS / 10}`),
    ],
    ['count all', count({}), counted('')],
    [
      'count by op',
      count({ filter: { op_names: [op] } }),
      counted(`HAVING any(op_name) = '${op}'`),
    ],
    [
      'count errors',
      count(query({ $eq: [field('summary.weave.status'), { $literal: 'error' }] })),
      counted('HAVING any(exception) IS NOT NULL'),
    ],
    [
      'inputs.meta.customer = c7',
      count(query({ $eq: [field('inputs.meta.customer'), { $literal: 'c7' }] })),
      counted(`HAVING JSONExtractString(any(inputs_dump), 'meta', 'customer') = 'c7'`),
    ],
    [
      'inputs.params.temperature > 0.8',
      count(query({ $gt: [field('inputs.params.temperature'), { $literal: 0.8 }] })),
      counted(`HAVING JSONExtractFloat(any(inputs_dump), 'params', 'temperature') > 0.8`),
    ],
    [
      '$contains on one path',
      count(
        query({ $contains: { input: field('inputs.prompt'), substr: { $literal: 'word976 is' } } }),
      ),
      counted(`HAVING position(JSONExtractString(any(inputs_dump), 'prompt'), 'word976 is') > 0`),
    ],
    [
      '$contains on a whole field',
      count(query({ $contains: { input: field('output'), substr: { $literal: 'answer 990' } } })),
      counted(`HAVING position(any(output_dump), 'answer 990') > 0`),
    ],
    [
      'a 200-call trace',
      list({ filter: { trace_ids: ['trace-7'] } }),
      classic('*', '', `HAVING trace_id = 'trace-7' ORDER BY started_at`),
    ],
    [
      `a ${BIG_TRACE}-call trace streamed`,
      list({ filter: { trace_ids: ['big-trace'] } }),
      classic('*', '', `HAVING trace_id = 'big-trace' ORDER BY started_at`),
    ],
    [
      'sort by latency, 50',
      list({ sort_by: [{ field: 'summary.weave.latency_ms', direction: 'desc' }], limit: 50 }),
      classic('*', '', 'ORDER BY ended_at - started_at DESC LIMIT 50'),
    ],
  ];
  const results = [];
  for (const [name, ask, baseline] of cases) {
    const ours = await measured(ask, ROUNDS);
    const theirs = await measured(() => asked(baseline), Math.min(ROUNDS, 3), [
      house.clickhouse.pid,
    ]);
    results.push({
      question: name,
      ...ours,
      baseline_wall_p50: theirs.wall_p50,
      baseline_cpu: theirs.cpu,
      baseline_answer: theirs.answer,
      cpu_ratio: Number((theirs.cpu / Math.max(ours.cpu, 1)).toFixed(1)),
    });
  }
  const stream = await streamOf(200_000);
  console.table(results);
  console.table([stream]);
  console.log(JSON.stringify({ calls: CALLS, results, stream }));
}

async function streamOf(limit) {
  const memory = rssMib(house.query.pid);
  let peak = memory;
  const watch = setInterval(() => (peak = Math.max(peak, rssMib(house.query.pid))), 50);
  const [started, cpu] = [performance.now(), cpuMicros(house.query.pid)];
  const calls = await streamed({ project_id: PROJECT, limit });
  const seconds = (performance.now() - started) / 1000;
  clearInterval(watch);
  return {
    calls,
    calls_per_second: Math.round(calls / seconds),
    query_cpu_micros_per_call: Math.round((cpuMicros(house.query.pid) - cpu) / calls),
    added_rss_mib: Math.round(peak - memory),
  };
}

/** The number of lines that `calls/stream_query` answers with. */
async function streamed(request) {
  const response = await fetch(`http://127.0.0.1:${house.query.port}/calls/stream_query`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`api:${house.key}`)}`,
    },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(await response.text());
  let lines = 0;
  for await (const piece of response.body) {
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++;
  }
  return lines;
}

async function measured(ask, rounds, counted = [house.clickhouse.pid, house.query.pid]) {
  const answer = await ask();
  const walls = [];
  const cpu = () => counted.reduce((sum, pid) => sum + cpuMicros(pid), 0);
  const before = cpu();
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await ask();
    walls.push(performance.now() - started);
  }
  walls.sort((a, b) => a - b);
  const at = (share) =>
    Math.round(walls[Math.min(walls.length - 1, Math.floor(share * walls.length))]);
  return {
    answer,
    wall_p50: at(0.5),
    wall_p95: at(0.95),
    cpu: Math.round((cpu() - before) / rounds / 1000),
  };
}

async function asked(query) {
  const rows = await house.sql(query);
  return rows.length === 1 && rows[0].length === 1 ? Number(rows[0][0]) : rows.length;
}

/** The whole call, merged at reading. */
function classic(_columns, where, tail = '') {
  return `SELECT id, any(trace_id) AS trace_id, any(parent_id) AS parent_id, any(op_name) AS op_name, any(started_at) AS started_at,
    any(ended_at) AS ended_at, any(exception) AS exception, any(attributes_dump) AS attributes, any(inputs_dump) AS inputs,
    any(output_dump) AS output, any(summary_dump) AS summary
  FROM call_parts WHERE project_id = '${PROJECT}' ${where && `AND ${where}`} GROUP BY project_id, id ${tail}`;
}

function counted(having) {
  return `SELECT count() AS count FROM (SELECT id FROM call_parts WHERE project_id = '${PROJECT}' GROUP BY project_id, id ${having})`;
}
