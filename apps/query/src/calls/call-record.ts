import {
  mayHaveMember,
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
  const ended = micros(Number(row.ended ?? 0));
  const username = extras.username === undefined ? '' : `"wb_username":${text(extras.username)},`;
  // Joined by hand: JSON.stringify of an object with these members takes three times as long.
  return (
    `{"id":${JSON.stringify(row.id)},"project_id":${JSON.stringify(row.project_id)},` +
    `"op_name":${JSON.stringify(row.op_name)},"display_name":${text(row.display_name)},` +
    `"trace_id":${JSON.stringify(row.trace_id)},"parent_id":${text(row.parent_id)},` +
    `"thread_id":${text(row.thread_id)},"turn_id":${text(row.turn_id)},` +
    `"started_at":${timestamp(micros(Number(row.started)))},` +
    `"ended_at":${ended === 0 ? 'null' : timestamp(ended)},"exception":${text(row.exception)},` +
    `"wb_user_id":${text(row.user_id)},${username}"wb_run_id":${text(row.run_id)},` +
    `"wb_run_step":${step(row.run_step)},"wb_run_step_end":${step(row.run_step_end)},` +
    `"deleted_at":null,"expire_at":${extras.expires === undefined ? 'null' : timestamp(extras.expires)},` +
    `"storage_size_bytes":${extras.storageSize ?? null},` +
    `"total_storage_size_bytes":${extras.totalStorageSize ?? null},` +
    `"attributes":${attributesText(row)},"inputs":${row.inputs || '{}'},` +
    `"output":${row.output || 'null'},` +
    `"summary":${row.status === undefined ? 'null' : summaryText(row, extras)}}`
  );
}

const text = (value: string | undefined) => (value ? JSON.stringify(value) : 'null');
const timestamp = (time: Micros) => `"${printTimestamp(time)}"`;
const step = (value: number | string = -1) => (Number(value) < 0 ? 'null' : String(Number(value)));

function attributesText({ attributes, otel_dump }: CallRecordRow): string {
  const text = attributes || '{}';
  return otel_dump ? withMember(text, 'otel_span', otel_dump) : text;
}

/** The keys of `summary.weave` that the server sets; a client's values under them are discarded. */
const DERIVED = ['status', 'latency_ms', 'trace_name', 'display_name', 'costs', 'feedback'];

function summaryText(row: CallRecordRow, { costs, feedback }: CallExtras): string {
  const [started, ended] = [Number(row.started), Number(row.ended)];
  const members = [
    `"status":${JSON.stringify(row.status)}`,
    ...(ended === 0 ? [] : [`"latency_ms":${Math.floor((ended - started) / 1000)}`]),
    `"trace_name":${JSON.stringify(traceName(row))}`,
    ...(row.display_name ? [`"display_name":${JSON.stringify(row.display_name)}`] : []),
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
  if (!mayHaveMember(object, name)) return undefined;
  const json = Buffer.from(object);
  const span = memberSpans(json).get(name);
  return span && json.toString('utf8', span.start, span.end);
}
