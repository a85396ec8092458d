// The data of `npm run bench:query`: the same calls and feedback in Heddle's layout and in a classic one. ClickHouse
// generates the rows from their numbers.
import { pathHash } from '../../dist/libs/wire/src/index.js';
import { cpuMicros } from '../support/proc-cpu.mjs';

export const PROJECT = 'bench/large';
export const bigTraceOf = (calls) => Math.min(30_000, Math.floor(calls / 10));

/** The classic layout: start and end are two rows that background merges join; every read groups by id. */
const CLASSIC = `CREATE TABLE call_parts (
  project_id String, id String,
  ${['trace_id', 'parent_id', 'op_name'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')},
  started_at SimpleAggregateFunction(any, Nullable(DateTime64(6, 'UTC'))),
  ${['inputs_dump', 'attributes_dump'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')},
  ended_at SimpleAggregateFunction(any, Nullable(DateTime64(6, 'UTC'))),
  ${['exception', 'output_dump', 'summary_dump'].map((name) => `${name} SimpleAggregateFunction(any, Nullable(String))`).join(', ')}
) ENGINE = AggregatingMergeTree ORDER BY (project_id, id)`;

/** Feedback of the classic layout, sorted by the ref of its call. One call in fifty has feedback. */
const CLASSIC_FEEDBACK = `CREATE TABLE feedback_by_ref (
  project_id String, weave_ref String, id String, feedback_type String, payload_dump String, created_at DateTime64(6, 'UTC')
) ENGINE = MergeTree ORDER BY (project_id, weave_ref, id)`;

/** 40 % of the calls are first stored without their end, which is inserted later. */
const LATER = 'number % 5 < 2';

/** Generates the data in `server`. */
export class QueryData {
  /** The CPU time that ClickHouse needed to generate and store the calls in Heddle's layout. */
  cpuMicros = 0;

  constructor(server, calls) {
    this.server = server;
    this.calls = calls;
  }

  async load() {
    await this.server.sql(CLASSIC);
    await this.server.sql(CLASSIC_FEEDBACK);
    const step = Math.max(1, Math.floor(this.calls / 50));
    for (let from = 0; from < this.calls; from += step) {
      const count = Math.min(step, this.calls - from);
      const before = cpuMicros(this.server.clickhouse.pid);
      await this.server.sql(this.insertCalls(from, count, LATER, false));
      await this.server.sql(this.insertCalls(from, count, 'true', true));
      this.cpuMicros += cpuMicros(this.server.clickhouse.pid) - before;
      await this.server.sql(this.insertParts(from, count, LATER, ['start']));
      await this.server.sql(this.insertParts(from, count, LATER, ['end']));
      await this.server.sql(this.insertParts(from, count, `NOT (${LATER})`, ['start', 'end']));
      for (const into of [FEEDBACK, FEEDBACK_BY_REF])
        await this.server.sql(this.insertFeedback(from, count, into));
      this.progress(from + count);
    }
  }

  progress(done) {
    const width = 40;
    const filled = Math.round((done / this.calls) * width);
    process.stderr.write(
      `\rloading [${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done} calls`,
    );
    if (done >= this.calls) process.stderr.write('\n');
  }

  /** SQL for the start time of the n-th call. */
  startedAt(n) {
    return `(toDateTime64('2026-02-01 00:00:00', 6, 'UTC') + toIntervalMillisecond(intDiv(${n} * 2592000, ${this.calls}) * 1000 + ${n} % 1000))`;
  }

  /** SQL for the id of the n-th call: a UUID of version 7 of its start time, as the SDKs make it. */
  id(n) {
    const time = `lower(leftPad(hex(toUnixTimestamp64Milli(${this.startedAt(n)})), 12, '0'))`;
    const chance = `lower(hex(sipHash128(toUInt64(${n}))))`;
    const piece = (text, from, length) => `substring(${text}, ${from}, ${length})`;
    return `concat(${piece(time, 1, 8)}, '-', ${piece(time, 9, 4)}, '-7', ${piece(chance, 1, 3)}, '-8', ${piece(chance, 4, 3)}, '-', ${piece(chance, 7, 12)})`;
  }

  fields() {
    const big = `(number >= ${this.calls >> 1} AND number < ${(this.calls >> 1) + bigTraceOf(this.calls)})`;
    const trace = 'intDiv(number, 200)';
    return `multiIf(${big}, '${PROJECT}', ${trace} % 100 = 0, 'bench/small', ${trace} % 10 = 1, 'bench/middle', '${PROJECT}') AS project_id,
    ${this.startedAt('number')} AS started_at,
    ${this.id('number')} AS id,
    if(${big}, 'big-trace', concat('trace-', toString(${trace}))) AS trace_id,
    if(number % 20 = 2, '', ${this.id('(intDiv(number, 20) * 20 + 2)')}) AS parent_id,
    concat('weave:///bench/large/op/op', toString(number % 12), ':v', toString(number % 3)) AS op_name,
    concat('{"meta":{"customer":"c', toString(cityHash64(number) % 5000), '"},"params":{"temperature":', toString((cityHash64(number, 1) % 1000) / 1000), '},"prompt":"', substring(repeat(concat('word', toString(number % 977), ' is here. '), 60), 1, 900), '"}') AS inputs,
    concat('{"text":"', substring(repeat(concat('response ', toString(number % 991), ' '), 60), 1, 700), '"}') AS output,
    '{"usage":{"gpt":{"requests":1,"prompt_tokens":120,"completion_tokens":40}}}' AS summary`;
  }

  insertCalls(from, count, where, ended) {
    const end = (is, isNot) => (ended ? is : isNot);
    return `INSERT INTO calls (project_id, started_at, id, trace_id, parent_id, op_name, op_id, ended_at, status, exception, inputs, output, summary, attributes, size_bytes, leaf_s, leaf_n, leaf_rest, leaf_full, version, is_deleted)
  SELECT project_id, started_at, id, trace_id, parent_id, op_name, splitByString(':v', op_name)[1],
    ${end(`started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000)`, `toDateTime64(0, 6, 'UTC')`)},
    ${end(`if(number % 33 = 0, 'error', 'success')`, `'running'`)}, ${end(`if(number % 33 = 0, 'boom', '')`, `''`)},
    inputs, ${end('output', `''`)}, ${end('summary', `''`)}, '{"env":"prod"}', length(inputs) + length(output),
    map('inputs.meta.customer', JSONExtractString(inputs, 'meta', 'customer'), 'attributes.env', 'prod'),
    map('inputs.params.temperature', JSONExtractFloat(inputs, 'params', 'temperature')${ended ? `, 'summary.usage.gpt.prompt_tokens', 120., 'summary.usage.gpt.completion_tokens', 40.` : ''}),
    [${unindexedPaths(ended).join(', ')}], 2, ${ended ? 2 : 1}, 0
  FROM (SELECT number, ${this.fields()} FROM numbers(${from}, ${count}) WHERE ${where})`;
  }

  insertParts(from, count, where, halves) {
    const rows = `(SELECT number, ${this.fields()} FROM numbers(${from}, ${count}) WHERE ${where})`;
    const parts = halves.map((half) => `SELECT ${this.half(half)} FROM ${rows}`);
    return `INSERT INTO call_parts ${parts.join(' UNION ALL ')}`;
  }

  half(which) {
    return which === 'start'
      ? `project_id, id, trace_id, parent_id, op_name, started_at, inputs AS inputs_dump, '{"env":"prod"}' AS attributes_dump, NULL AS ended_at, NULL AS exception, NULL AS output_dump, NULL AS summary_dump`
      : `project_id, id, NULL AS trace_id, NULL AS parent_id, NULL AS op_name, NULL AS started_at, NULL AS inputs_dump, NULL AS attributes_dump, started_at + toIntervalMillisecond(cityHash64(number, 2) % 20000) AS ended_at, if(number % 33 = 0, 'boom', NULL) AS exception, output AS output_dump, summary AS summary_dump`;
  }

  insertFeedback(from, count, into) {
    return `INSERT INTO ${into} FROM (SELECT number, ${this.fields()} FROM numbers(${from}, ${count}) WHERE number % 50 = 3)`;
  }
}

const EMOJI = `concat('{"emoji":"', if(number % 500 = 3, '👎', '👍'), '"}')`;
const REF = `concat('weave:///', project_id, '/call/', id)`;
/** For `insertFeedback`. */
export const FEEDBACK = `feedback (project_id, id, weave_ref, call_id, feedback_type, payload, created_at, version)
  SELECT project_id, concat('f-', id), ${REF}, id, 'wandb.reaction.1', ${EMOJI}, started_at, 1`;
const FEEDBACK_BY_REF = `feedback_by_ref
  SELECT project_id, ${REF}, concat('f-', id), 'wandb.reaction.1', ${EMOJI}, started_at`;

/** The paths that the worker does not index: objects, and texts that are too long for a leaf. */
function unindexedPaths(ended) {
  const start = ['attributes', 'inputs', 'inputs.meta', 'inputs.params', 'inputs.prompt'];
  const end = ['output', 'output.text', 'summary', 'summary.usage', 'summary.usage.gpt'];
  return [...start, ...(ended ? end : [])].map((path) => pathHash(Buffer.from(path)));
}
