// `npm run bench:query [-- calls]`: what the questions about calls cost, beside a classic layout with the same data.
// CPU is that of the ClickHouse process; run it on a quiet machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';

const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { startClickHouse } = await dist('libs/embedded/src/index.js');
const { createLogger } = await dist('libs/observability/src/index.js');
const { connectClickHouse, migrate, Store } = await dist('libs/clickhouse/src/index.js');
const { CallFeedback } = await dist('apps/query/src/calls/call-feedback.js');
const { CallCosts } = await dist('apps/query/src/calls/call-costs.js');
const { CallExpansion } = await dist('apps/query/src/calls/call-expansion.js');
const { CallExtrasReader } = await dist('apps/query/src/calls/call-extras.reader.js');
const { CallsReader } = await dist('apps/query/src/calls/calls.reader.js');
const { Questions } = await dist('apps/query/src/questions.js');

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

const directory = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const clickhouse = await startClickHouse({ directory, logger: createLogger('bench', 'error') });
const { url, username: user, password } = clickhouse;
const client = connectClickHouse(
  { url, user, password, database: 'default', cluster: '' },
  'bench',
);
const store = new Store(client);
const enginePid = findEngine();

try {
  await migrate(client, { kind: 'single' });
  await load();
  await compare();
} finally {
  await client.close();
  await clickhouse.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Rows are made by ClickHouse itself: the same call by number in both layouts. */
async function load() {
  await client.command({ query: CLASSIC });
  const step = Math.max(1, Math.floor(CALLS / 50));
  for (let from = 0; from < CALLS; from += step) {
    const count = Math.min(step, CALLS - from);
    // 40 % of calls are first stored without their end, in a batch of their own.
    await client.command({ query: insertCalls(from, count, 'number % 5 < 2', false) });
    await client.command({ query: insertCalls(from, count, 'true', true) });
    await client.command({ query: insertParts(from, count, 'start') });
    await client.command({ query: insertParts(from, count, 'end') });
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
  return `INSERT INTO calls (project_id, started_at, id, trace_id, parent_id, op_name, op_id, ended_at, status, exception, inputs, output, summary, attributes, size_bytes, leaf_s, leaf_n, leaf_full, version, is_deleted)
  SELECT project_id, started_at, id, trace_id, parent_id, op_name, splitByString(':v', op_name)[1],
    ${end(`started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000)`, `toDateTime64(0, 6, 'UTC')`)},
    ${end(`if(number % 33 = 0, 'error', 'success')`, `'running'`)}, ${end(`if(number % 33 = 0, 'boom', '')`, `''`)},
    inputs, ${end('output', `''`)}, ${end('summary', `''`)}, '{"env":"prod"}', length(inputs) + length(output),
    map('inputs.meta.customer', JSONExtractString(inputs, 'meta', 'customer'), 'attributes.env', 'prod'),
    map('inputs.params.temperature', JSONExtractFloat(inputs, 'params', 'temperature')${ended ? `, 'summary.usage.gpt.prompt_tokens', 120., 'summary.usage.gpt.completion_tokens', 40.` : ''}),
    0, ${ended ? 2 : 1}, 0
  FROM (SELECT number, ${fields()} FROM numbers(${from}, ${count}) WHERE ${where})`;
}

function insertParts(from, count, half) {
  const columns =
    half === 'start'
      ? `project_id, id, trace_id, parent_id, op_name, started_at, inputs AS inputs_dump, '{"env":"prod"}' AS attributes_dump, NULL AS ended_at, NULL AS exception, NULL AS output_dump, NULL AS summary_dump`
      : `project_id, id, NULL AS trace_id, NULL AS parent_id, NULL AS op_name, NULL AS started_at, NULL AS inputs_dump, NULL AS attributes_dump, started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000) AS ended_at, if(number % 33 = 0, 'boom', NULL) AS exception, output AS output_dump, summary AS summary_dump`;
  return `INSERT INTO call_parts SELECT ${columns} FROM (SELECT number, ${fields()} FROM numbers(${from}, ${count}))`;
}

async function compare() {
  const config = { readWaitMs: 0, maxSeconds: 600, maxMemoryBytes: 4 * 1024 ** 3, maxRows: 0 };
  const questions = new Questions(store, config);
  const feedback = new CallFeedback(questions);
  const extras = new CallExtrasReader(questions, new CallCosts(), feedback, new CallExpansion());
  const calls = new CallsReader(questions, extras, new CallExpansion());
  const reading = () => ({ gone: new AbortController().signal, explained: undefined });
  const list = (request) => async () => {
    let rows = 0;
    for await (const block of calls.query({ project_id: PROJECT, ...request }, reading()))
      rows += block.length;
    return rows;
  };
  const count = (request) => async () =>
    (await calls.stats({ project_id: PROJECT, ...request }, reading())).count;
  const query = ($expr) => ({ query: { $expr } });
  const field = ($getField) => ({ $getField });
  const newest = [{ field: 'started_at', direction: 'desc' }];
  const op = 'weave:///bench/large/op/op2:v2';
  const someId = `call-${String(Math.floor(CALLS / 2) - 1).padStart(10, '0')}`;
  const cases = [
    [
      'read by id',
      async () => ((await calls.read({ project_id: PROJECT, id: someId }, reading())) ? 1 : 0),
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
    const theirs = await measured(() => asked(baseline), Math.min(ROUNDS, 3));
    results.push({
      question: name,
      ...ours,
      baseline_wall_p50: theirs.wall_p50,
      baseline_cpu: theirs.cpu,
      baseline_answer: theirs.answer,
      cpu_ratio: Number((theirs.cpu / Math.max(ours.cpu, 1)).toFixed(1)),
    });
  }
  const memory = process.memoryUsage().rss;
  const started = performance.now();
  const streamed = await list({ limit: 200_000 })();
  const seconds = (performance.now() - started) / 1000;
  const stream = {
    calls: streamed,
    calls_per_second: Math.round(streamed / seconds),
    added_rss_mb: Math.round((process.memoryUsage().rss - memory) / 1024 ** 2),
  };
  console.table(results);
  console.table([stream]);
  console.log(JSON.stringify({ calls: CALLS, results, stream }));
}

async function measured(ask, rounds) {
  const answer = await ask();
  const walls = [];
  const before = engineCpuMs();
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
    cpu: Math.round((engineCpuMs() - before) / rounds),
  };
}

async function asked(query) {
  const result = await client.query({ query, format: 'JSONEachRow' });
  const rows = await result.json();
  return rows.length === 1 && 'count' in rows[0] ? Number(rows[0].count) : rows.length;
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

function engineCpuMs() {
  const fields = readFileSync(`/proc/${enginePid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The engine is our child: a clickhouse server, or the host of the embedded one. */
function findEngine() {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  });
  const line = children.split('\n').find((one) => /clickhouse/.test(one));
  return Number(line?.trim().split(/\s+/)[0]);
}
