// `npm run bench:costs [-- calls [rounds]]` measures the cost per model and day over 30 days, once from the usage columns
// and once by parsing the summaries. CPU is that of the ClickHouse process. Run it on an idle machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { MachineLoad } from '../support/machine-load.mjs';
import { positiveNumbers } from '../support/positive-numbers.mjs';

const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { startClickHouse } = await dist('libs/embedded/src/index.js');
const { createLogger } = await dist('libs/observability/src/index.js');
const { packageRoot } = await dist('libs/config/src/index.js');
const { connectClickHouse, migrate, readMigrations, renderMigration, Store } = await dist(
  'libs/clickhouse/src/index.js',
);
const { packagedPrices } = await dist('libs/pricing/src/index.js');
const { PriceBookWriter } = await dist('apps/worker/src/costs/price-book.writer.js');
const { PricesReader } = await dist('apps/query/src/costs/prices.reader.js');
const { CostsReportReader } = await dist('apps/query/src/usage/costs-report.reader.js');
const { RetentionReader } = await dist('apps/query/src/projects/retention.reader.js');
const { CallsStatsReader } = await dist('apps/query/src/usage/calls-stats.reader.js');
const { CallFieldsReader } = await dist('apps/query/src/calls/call-fields.reader.js');
const { QueryExecutor } = await dist('apps/query/src/query-executor.js');

const [CALLS, ROUNDS] = positiveNumbers(
  process.argv.slice(2),
  [1_000_000, 7],
  'npm run bench:costs [-- calls [rounds]]',
);
const PROJECT = 'bench/large';
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'gemini/gemini-2.5-pro', 'o3-mini'];
const START = '2026-02-01T00:00:00Z';
const END = '2026-03-03T00:00:00Z';

const onMachine = new MachineLoad();
const directory = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const clickhouse = await startClickHouse({ directory, logger: createLogger('bench', 'error') });
const { url, username: user, password } = clickhouse;
const client = connectClickHouse(
  { url, user, password, database: 'default', cluster: '', replicated: false },
  'bench',
);
const store = new Store(client);
const enginePid = findEngine();

try {
  await migrate(client, { kind: 'single' });
  const book = packagedPrices(packageRoot());
  const writer = new PriceBookWriter(store);
  await writer.write(book, await writer.changes(book));
  await load();
  await merged();
  await compare();
} finally {
  await client.close();
  await clickhouse.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Inserts traces of five calls; the usage of a root is the sum of its four children, as clients report it. */
async function load() {
  const step = Math.max(5, Math.floor(CALLS / 20 / 5) * 5);
  for (let from = 0; from < CALLS; from += step) {
    const count = Math.min(step, CALLS - from);
    await client.command({ query: insertCalls(from, count) });
    process.stderr.write(`\rloading ${from + count} calls`);
  }
  process.stderr.write('\n');
  await client.command({ query: usageOfRoots() });
}

/** Fills the table that the worker writes with the calls, by the statement that migrates old calls. */
function usageOfRoots() {
  const { text } = readMigrations().find(({ name }) => name === 'root_usage');
  return renderMigration(text, { kind: 'single' }).find((one) => one.startsWith('INSERT'));
}

/** Waits up to a minute for merges: their CPU time would be counted with that of the requests. */
async function merged() {
  const count = `SELECT count() AS merges FROM system.merges`;
  for (let seconds = 0; seconds < 60; seconds++) {
    const [{ merges }] = await (await client.query({ query: count, format: 'JSONEachRow' })).json();
    if (Number(merges) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function insertCalls(from, count) {
  const models = `[${MODELS.map((model) => `'${model}'`).join(', ')}]`;
  return `INSERT INTO calls (project_id, started_at, id, trace_id, parent_id, op_name, op_id, ended_at, status, user_id, inputs, output, summary, attributes, size_bytes, usage_model, usage_requests, usage_prompt, usage_uncached, usage_completion, usage_cache_read, usage_cache_write, usage_total, version, is_deleted)
  SELECT '${PROJECT}', started_at, id, trace_id, parent_id, concat('op', toString(number % 12)), concat('op', toString(number % 12)),
    started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000), 'success', concat('user', toString(number % 7)),
    concat('{"prompt":"', substring(repeat(concat('word', toString(number % 977), ' is here. '), 60), 1, 900), '"}'),
    concat('{"text":"', substring(repeat(concat('response ', toString(number % 991), ' '), 60), 1, 700), '"}'),
    concat('{"usage":{"', model, '":{"requests":', toString(times), ',"prompt_tokens":', toString(prompt), ',"completion_tokens":', toString(completion), ',"total_tokens":', toString(prompt + completion), ',"prompt_tokens_details":{"cached_tokens":', toString(cached), '}}},"status_counts":{"success":1,"error":0}}'),
    '{"env":"prod"}', 1700, [model], [times], [prompt], [prompt - cached], [completion], [cached], [0], [prompt + completion], 2, 0
  FROM (SELECT number, number % 5 = 0 AS is_root, if(is_root, 4, 1) AS times,
    toDateTime64('2026-02-01 00:00:00', 6, 'UTC') + toIntervalMillisecond(intDiv(number * 2592000, ${CALLS}) * 1000 + number % 1000) AS started_at,
    concat('call-', leftPad(toString(number), 10, '0')) AS id, concat('trace-', toString(intDiv(number, 5))) AS trace_id,
    if(is_root, '', concat('call-', leftPad(toString(intDiv(number, 5) * 5), 10, '0'))) AS parent_id,
    ${models}[cityHash64(intDiv(number, 5)) % ${MODELS.length} + 1] AS model,
    times * (100 + cityHash64(intDiv(number, 5), 3) % 1000) AS prompt, times * (10 + cityHash64(intDiv(number, 5), 4) % 500) AS completion,
    times * (cityHash64(intDiv(number, 5), 5) % 100) AS cached
  FROM numbers(${from}, ${count}))`;
}

async function compare() {
  const config = {
    readWaitMs: 0,
    maxSeconds: 600,
    maxMemoryBytes: 4 * 1024 ** 3,
    maxRows: 0,
    adminFactor: 1,
  };
  const executor = new QueryExecutor(store, config);
  const prices = new PricesReader(executor);
  const retention = new RetentionReader(store);
  const fields = new CallFieldsReader(prices, retention);
  const reports = new CostsReportReader(executor, prices, retention, fields);
  const statistics = new CallsStatsReader(executor, prices, retention, fields);
  const context = () => ({
    principal: { role: 'read' },
    projectIds: [PROJECT],
    signal: new AbortController().signal,
    explanations: undefined,
  });
  const report = (more) => async () => {
    const pieces = [];
    const request = { project_id: PROJECT, start: START, end: END, ...more };
    for await (const piece of reports.report(request, context())) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString('utf8')).results;
  };
  const stats = (more) => async () =>
    JSON.parse(
      await statistics.stats(
        { project_id: PROJECT, start: START, end: END, granularity: 86400, ...more },
        context(),
      ),
    ).usage_buckets;

  const cases = [
    ['cost per model per day (roots)', report({ group_by: ['model', 'day'] })],
    ['the same by parsing summaries', parsed],
    [
      'cost per model per day (exclusive)',
      report({ group_by: ['model', 'day'], usage_scope: 'exclusive' }),
    ],
    ['cost per op and user (roots)', report({ group_by: ['op', 'user'] })],
    [
      'calls/stats, total_cost by day (roots)',
      stats({ usage_metrics: [{ metric: 'total_cost' }], filter: { trace_roots_only: true } }),
    ],
  ];
  const results = [];
  for (const [request, send] of cases) {
    const { response, ...figures } = await measured(send, ROUNDS);
    results.push({ request, rows: response.length, total: total(response), ...figures });
  }
  console.table(results);
  const [ours, theirs] = results;
  const times = (theirs.cpu / Math.max(ours.cpu, 1)).toFixed(1);
  console.log(
    `${CALLS} calls: ${ours.wall_p50} ms, ${times} times less CPU than parsing the summaries.`,
  );
  console.log(JSON.stringify({ calls: CALLS, results }));
  console.log(onMachine.report());
}

function total(rows) {
  return rows
    .reduce((sum, row) => sum + Number(row.total_cost ?? row.sum_total_cost ?? 0), 0)
    .toFixed(6);
}

/** The same costs without usage columns: parses the JSON of every root, joins the prices, and adds doubles. */
async function parsed() {
  const result = await client.query({
    query: `SELECT day, u.1 AS model, sum((tupleElement(u.2, 'prompt_tokens') - cached) * p.prompt + cached * p.cache_read + tupleElement(u.2, 'completion_tokens') * p.completion) AS total_cost
      FROM (SELECT toDate(started_at) AS day, arrayJoin(JSONExtract(summary, 'usage', 'Map(String, Tuple(prompt_tokens UInt64, completion_tokens UInt64, prompt_tokens_details Tuple(cached_tokens UInt64)))')) AS u,
          tupleElement(tupleElement(u.2, 'prompt_tokens_details'), 'cached_tokens') AS cached
        FROM calls FINAL PREWHERE project_id = '${PROJECT}' AND started_at >= '2026-02-01' AND started_at < '2026-03-03'
        WHERE parent_id = '' OR otel_dump != '') AS c
      LEFT JOIN (SELECT llm_id, toFloat64(prompt_cost) AS prompt, toFloat64(completion_cost) AS completion, toFloat64(cache_read_cost) AS cache_read FROM prices FINAL) AS p ON p.llm_id = c.u.1
      GROUP BY day, model`,
    format: 'JSONEachRow',
    clickhouse_settings: { do_not_merge_across_partitions_select_final: 1 },
  });
  return result.json();
}

async function measured(send, rounds) {
  const response = await send();
  const walls = [];
  const before = engineCpuMs();
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await send();
    walls.push(performance.now() - started);
  }
  walls.sort((a, b) => a - b);
  const at = (share) =>
    Math.round(walls[Math.min(walls.length - 1, Math.floor(share * walls.length))]);
  return {
    response,
    wall_p50: at(0.5),
    wall_p95: at(0.95),
    cpu: Math.round((engineCpuMs() - before) / rounds),
  };
}

function engineCpuMs() {
  const fields = readFileSync(`/proc/${enginePid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The pid of the engine, a child of this process: a ClickHouse server, or the host of the embedded one. */
function findEngine() {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  });
  const line = children.split('\n').find((one) => /clickhouse/.test(one));
  return Number(line?.trim().split(/\s+/)[0]);
}
