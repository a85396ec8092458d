import type { CallRow, CallStatus } from '@app/clickhouse';
import { itemOf, type CallFact, type CallItem, type PayloadField } from '@app/events';
import { micros, microsOf, millis, parseTimestamp, type Micros } from '@app/wire';
import { usageIn } from './call-usage.js';
import { NO_LEAVES } from './leaves.js';
import { PayloadScan } from './payload-scan.js';

/** The columns that decide the sorting key and the shard of a call's row. */
export interface Placement {
  readonly traceId: string;
  readonly startedAt: Micros;
}

const YEAR_2000 = microsOf(millis(Date.UTC(2000, 0, 1)));
const YEAR_2200 = microsOf(millis(Date.UTC(2200, 0, 1)));
/** Stands for the end of a call that has not ended. */
const NOT_ENDED = micros(0);
const NAME_MAX = 1024;
const NOTHING = Buffer.alloc(0);
/** Folding is synchronous, so one scan serves all calls. */
const scan = new PayloadScan();

export function placementOf(start: CallFact): Placement {
  return placement(itemOf(start));
}

/**
 * The row of a call, from its newest start and its newest end. Written out column by column, because an object of this many
 * fields is slow to build and to read when it is spread from parts.
 */
export function callRow(
  start: CallFact,
  { traceId, startedAt }: Placement,
  end: CallFact | undefined,
  displayName: string,
  version: bigint,
): CallRow {
  const started = itemOf(start);
  const ended = end === undefined ? {} : itemOf(end);
  const attributes = payload(started, 'attributes');
  const inputs = payload(started, 'inputs');
  const output = payload(ended, 'output');
  const summary = payload(ended, 'summary');
  const parsedSummary = parsed(summary);
  const opName = text(started, 'op_name').slice(0, NAME_MAX);
  const exception = text(ended, 'exception');
  const endedAt = end === undefined ? NOT_ENDED : clamped(text(ended, 'ended_at'));
  const usage = usageIn(parsedSummary);
  scan.add('attributes', attributes);
  const inputRefs = scan.add('inputs', inputs);
  const outputRefs = scan.add('output', output);
  scan.add('summary', summary);
  const leaves = scan.drain();
  return {
    project_id: start.projectId,
    started_at: startedAt,
    id: start.callId,
    trace_id: traceId,
    parent_id: text(started, 'parent_id'),
    thread_id: text(started, 'thread_id'),
    turn_id: text(started, 'turn_id'),
    op_name: opName,
    op_id: opIdOf(opName),
    display_name: displayName.slice(0, NAME_MAX),
    ended_at: endedAt,
    status: statusOf(exception, endedAt, parsedSummary),
    exception,
    user_id: start.userId,
    run_id: text(started, 'wb_run_id'),
    run_step: step(started, 'wb_run_step'),
    run_step_end: step(ended, 'wb_run_step_end'),
    input_refs: inputRefs,
    output_refs: outputRefs,
    usage_model: usage.map(({ model }) => model),
    usage_requests: usage.map(({ requests }) => requests),
    usage_prompt: usage.map(({ prompt }) => prompt),
    usage_uncached: usage.map(({ uncached }) => uncached),
    usage_completion: usage.map(({ completion }) => completion),
    usage_cache_read: usage.map(({ cacheRead }) => cacheRead),
    usage_cache_write: usage.map(({ cacheWrite }) => cacheWrite),
    usage_total: usage.map(({ total }) => total),
    cost_at_write: 0n,
    attributes,
    inputs,
    output,
    summary,
    otel_dump: payload(started, 'otel_dump'),
    size_bytes: attributes.length + inputs.length + output.length + summary.length,
    leaf_s: leaves.strings,
    leaf_n: leaves.numbers,
    leaf_b: leaves.booleans,
    leaf_rest: leaves.unindexedPaths,
    leaf_full: leaves.isComplete ? 2 : 0,
    version,
    is_deleted: 0,
  };
}

/** A row that hides the call at a placement. */
export function blankRow(fact: CallFact, at: Placement, version: bigint): CallRow {
  return {
    project_id: fact.projectId,
    started_at: at.startedAt,
    id: fact.callId,
    trace_id: at.traceId,
    parent_id: '',
    thread_id: '',
    turn_id: '',
    op_name: '',
    op_id: '',
    display_name: '',
    ended_at: NOT_ENDED,
    status: 'running',
    exception: '',
    user_id: '',
    run_id: '',
    run_step: -1,
    run_step_end: -1,
    input_refs: [],
    output_refs: [],
    usage_model: [],
    usage_requests: [],
    usage_prompt: [],
    usage_uncached: [],
    usage_completion: [],
    usage_cache_read: [],
    usage_cache_write: [],
    usage_total: [],
    cost_at_write: 0n,
    attributes: NOTHING,
    inputs: NOTHING,
    output: NOTHING,
    summary: NOTHING,
    otel_dump: NOTHING,
    size_bytes: 0,
    leaf_s: NO_LEAVES.strings,
    leaf_n: NO_LEAVES.numbers,
    leaf_b: NO_LEAVES.booleans,
    leaf_rest: NO_LEAVES.unindexedPaths,
    leaf_full: 2,
    version,
    is_deleted: 1,
  };
}

function placement(started: CallItem): Placement {
  return {
    traceId: text(started, 'trace_id'),
    startedAt: clamped(text(started, 'started_at')),
  };
}

/** The op without its version. */
function opIdOf(opName: string): string {
  return /^(weave:\/\/\/.+\/op\/[^:]+):/.exec(opName)?.[1] ?? opName;
}

/** `error` before `running` before `descendant_error` before `success`. */
function statusOf(exception: string, endedAt: Micros, summary: unknown): CallStatus {
  if (exception !== '') return 'error';
  if (endedAt === NOT_ENDED) return 'running';
  const { status_counts } = (summary ?? {}) as { status_counts?: { error?: unknown } | null };
  const errors = status_counts?.error;
  // Converting an object throws when its `toString` is not a function, and the call could never be folded.
  return typeof errors !== 'object' && Number(errors) > 0 ? 'descendant_error' : 'success';
}

/**
 * Keeps times within the range of the columns. Ingest has corrected the times of wrong clocks already. The limits must not
 * depend on the time of receipt, or a fact that is received twice would get two placements.
 */
function clamped(text: string): Micros {
  const time = parseTimestamp(text) ?? YEAR_2000;
  return micros(Math.min(Math.max(time, YEAR_2000), YEAR_2200));
}

function text(item: CallItem, field: string): string {
  const value = item[field];
  return typeof value === 'string' ? value : '';
}

function step(item: CallItem, field: string): number {
  const value = item[field];
  return typeof value === 'number' ? value : -1;
}

function payload(item: CallItem, field: PayloadField): Buffer {
  const value = item[field];
  return value === undefined || value.isNull ? NOTHING : value.bytes;
}

function parsed(json: Buffer): unknown {
  return json.length === 0 ? undefined : (JSON.parse(json.toString('utf8')) as unknown);
}
