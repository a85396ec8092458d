import { nodeAt, readNode } from './json-node.js';
import { feedbackAt, type FeedbackValue, type SentFeedback } from './oracle-feedback.js';

/** A call as a client sent it, with payloads as JSON text. */
export interface SentCall {
  readonly id: string;
  readonly project_id: string;
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly thread_id: string | null;
  readonly turn_id: string | null;
  readonly op_name: string;
  readonly display_name: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly exception: string | null;
  /** The user of the key that sent it. */
  readonly wb_user_id: string;
  readonly wb_run_id: string | null;
  readonly wb_run_step: number | null;
  readonly wb_run_step_end: number | null;
  readonly attributes: string;
  readonly inputs: string;
  readonly otel_dump: string | null;
  /** Null until the call has ended. */
  readonly output: string | null;
  readonly summary: string | null;
  readonly input_refs: readonly string[];
  readonly output_refs: readonly string[];
  /** The oldest first. */
  readonly feedback: readonly SentFeedback[];
}

export type Plain =
  | { readonly kind: 'text'; readonly value: string | null }
  | { readonly kind: 'number'; readonly value: number | bigint | null }
  | { readonly kind: 'bool'; readonly value: boolean | null }
  | { readonly kind: 'time'; readonly value: number | null }
  | { readonly kind: 'texts'; readonly value: readonly string[] };
export type Value = (Plain | ({ readonly kind: 'json' } & FeedbackValue)) & {
  readonly isLiteral?: boolean;
};

const TEXTS = [
  'id',
  'project_id',
  'trace_id',
  'parent_id',
  'thread_id',
  'turn_id',
  'op_name',
  'display_name',
  'exception',
  'wb_user_id',
  'wb_run_id',
];
const PAYLOADS = ['attributes', 'inputs', 'output', 'summary', 'otel_dump'];
const NEVER = ['deleted_at', 'expire_at'];

/** The value of a query's field in a call. */
export function fieldOf(call: SentCall, path: string): Value {
  const plain = call as unknown as Record<string, string | null>;
  if (TEXTS.includes(path)) return { kind: 'text', value: plain[path] || null };
  if (path === 'wb_run_step' || path === 'wb_run_step_end')
    return { kind: 'number', value: call[path] };
  if (path === 'started_at') return { kind: 'time', value: call.started_at };
  if (path === 'ended_at') return { kind: 'time', value: call.ended_at };
  if (NEVER.includes(path)) return { kind: 'time', value: null };
  if (path === 'input_refs' || path === 'output_refs') return { kind: 'texts', value: call[path] };
  if (path === 'summary.weave.status') return { kind: 'text', value: statusOf(call) };
  if (path === 'summary.weave.trace_name') return { kind: 'text', value: traceName(call) };
  if (path === 'summary.weave.latency_ms') {
    const { started_at, ended_at } = call;
    const value = ended_at === null ? null : Math.floor((ended_at - started_at) / 1000);
    return { kind: 'number', value };
  }
  const [, type, of, rest] =
    /^feedback\.\[([^\]]*)\]\.(payload|\w+_ref)\b\.?(.*)$/.exec(path) ?? [];
  if (type !== undefined)
    return { kind: 'json', ...feedbackAt(call.feedback, type, of!, rest ? keysOf(rest) : []) };
  const [name, ...keys] = keysOf(path);
  if (!PAYLOADS.includes(name!)) throw new Error(`the oracle does not know ${path}`);
  const text = plain[name!] ?? null;
  return { kind: 'json', node: text === null ? undefined : nodeAt(readNode(text), keys) };
}

function keysOf(path: string): string[] {
  const keys = [''];
  for (let at = 0; at < path.length; at++) {
    const isEscape = path[at] === '\\' && (path[at + 1] === '.' || path[at + 1] === '\\');
    if (isEscape) at++;
    if (path[at] === '.' && !isEscape) keys.push('');
    else keys.push(keys.pop()! + path[at]!);
  }
  return keys.map((key) => key.toWellFormed());
}

function statusOf(call: SentCall): string {
  if (call.exception) return 'error';
  if (call.ended_at === null) return 'running';
  const errors = nodeAt(readNode(call.summary ?? '{}'), ['status_counts', 'error']);
  return Number(errors?.text) > 0 ? 'descendant_error' : 'success';
}

function traceName({ display_name, op_name }: SentCall): string {
  const isRef = /^weave:\/\/\/[^/]+\/[^/]+\/op\/([^:/]+)/.exec(op_name);
  return display_name || (isRef?.[1] ?? op_name);
}
