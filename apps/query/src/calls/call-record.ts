import {
  memberSpans,
  micros,
  printTimestamp,
  withMember,
  withoutMembers,
  type Micros,
} from '@app/wire';
import type { CallRecordRow } from './calls.sql.js';

/** What a call's record contains only on request. */
export interface CallExtras {
  /** When its retention ends. */
  readonly expires?: Micros;
  readonly storageSize?: number;
  readonly totalStorageSize?: number | undefined;
  readonly username?: string;
  /** JSON texts for `summary.weave`. */
  readonly costs?: string;
  readonly feedback?: string;
}

/**
 * The wire's call as JSON text. Payloads are inserted as the client sent them, except that `summary` gets the server's
 * `weave` object and `attributes` the OpenTelemetry span of the call. A column that was not selected is null or empty.
 */
export function callRecord(row: CallRecordRow, extras: CallExtras = {}): string {
  const started = micros(Number(row.started));
  const ended = micros(Number(row.ended ?? 0));
  const plain = {
    id: row.id,
    project_id: row.project_id,
    op_name: row.op_name,
    display_name: orNull(row.display_name),
    trace_id: row.trace_id,
    parent_id: orNull(row.parent_id),
    thread_id: orNull(row.thread_id),
    turn_id: orNull(row.turn_id),
    started_at: printTimestamp(started),
    ended_at: ended === 0 ? null : printTimestamp(ended),
    exception: orNull(row.exception),
    wb_user_id: orNull(row.user_id),
    ...(extras.username === undefined ? {} : { wb_username: orNull(extras.username) }),
    wb_run_id: orNull(row.run_id),
    wb_run_step: stepOrNull(row.run_step),
    wb_run_step_end: stepOrNull(row.run_step_end),
    deleted_at: null,
    expire_at: extras.expires === undefined ? null : printTimestamp(extras.expires),
    storage_size_bytes: extras.storageSize ?? null,
    total_storage_size_bytes: extras.totalStorageSize ?? null,
  };
  const payloads = [
    `"attributes":${attributesText(row)}`,
    `"inputs":${row.inputs || '{}'}`,
    `"output":${row.output || 'null'}`,
    `"summary":${row.status === undefined ? 'null' : summaryText(row, extras)}`,
  ];
  return `${JSON.stringify(plain).slice(0, -1)},${payloads.join(',')}}`;
}

function attributesText({ attributes, otel_dump }: CallRecordRow): string {
  const text = attributes || '{}';
  return otel_dump ? withMember(text, 'otel_span', otel_dump) : text;
}

/** The keys of `summary.weave` that the server sets; a client's values under them are discarded. */
const DERIVED = ['status', 'latency_ms', 'trace_name', 'display_name', 'costs', 'feedback'];

function summaryText(row: CallRecordRow, { costs, feedback }: CallExtras): string {
  const [started, ended] = [Number(row.started), Number(row.ended)];
  const derived = JSON.stringify({
    status: row.status,
    ...(ended === 0 ? {} : { latency_ms: Math.floor((ended - started) / 1000) }),
    trace_name: traceName(row),
    ...(row.display_name ? { display_name: row.display_name } : {}),
  });
  const members = [
    derived.slice(1, -1),
    ...(costs === undefined ? [] : [`"costs":${costs}`]),
    ...(feedback === undefined ? [] : [`"feedback":${feedback}`]),
  ];
  const summary = row.summary || '{}';
  return withMember(summary, 'weave', weaveText(summary, members));
}

function weaveText(summary: string, members: readonly string[]): string {
  const sent = textOf(summary, 'weave');
  const kept = sent?.startsWith('{') ? withoutMembers(sent, DERIVED) : [];
  return `{${[...kept, ...members].join(',')}}`;
}

/** The display name, else the name inside the op's ref, else the op name as it is. */
function traceName({ display_name, op_name }: CallRecordRow): string {
  return display_name || (/^weave:\/\/\/[^/]+\/[^/]+\/op\/([^:/]+)/.exec(op_name)?.[1] ?? op_name);
}

function textOf(object: string, name: string): string | undefined {
  const json = Buffer.from(object);
  const span = memberSpans(json).get(name);
  return span && json.toString('utf8', span.start, span.end);
}

const orNull = (text: string | undefined) => text || null;
const stepOrNull = (step: number | string = -1) => (Number(step) < 0 ? null : Number(step));
