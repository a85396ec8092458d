import { postLines } from './client.js';
import type { CallPreview, Status } from './types.js';

/** A call of `calls/stream_query`, as far as the page reads it. */
interface StreamedCall {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly op_name: string;
  readonly display_name: string | null;
  readonly thread_id: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly exception: string | null;
  readonly wb_user_id: string | null;
  readonly inputs: unknown;
  readonly output: unknown;
  readonly summary: {
    readonly usage?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly weave: {
      readonly status: Status;
      readonly latency_ms?: number;
      readonly costs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly feedback?: readonly unknown[];
    };
  };
}

const FACTS = [
  'summary',
  'display_name',
  'exception',
  'parent_id',
  'thread_id',
  'trace_id',
  'wb_user_id',
];

/** The first characters of the payloads. They are cut here until the server has an operation that cuts them. */
export async function* readPreviews(
  request: object,
  characters: number,
  signal: AbortSignal,
): AsyncGenerator<CallPreview, void> {
  const columns = characters > 1 ? [...FACTS, 'inputs', 'output'] : FACTS;
  const body = { ...request, columns, include_costs: true, include_feedback: true };
  for await (const call of postLines<StreamedCall>('/calls/stream_query', body, signal)) {
    yield previewOf(call, characters);
  }
}

function previewOf(call: StreamedCall, characters: number): CallPreview {
  const { weave } = call.summary;
  const cut = (value: unknown) => {
    const text = JSON.stringify(value);
    return { text: text.slice(0, characters), bytes: text.length };
  };
  return {
    ...call,
    status: weave.status,
    latency_ms: weave.latency_ms ?? null,
    inputs: cut(call.inputs),
    output: cut(call.output),
    tokens: tokensOf(call),
    cost: costOf(call),
    feedback: weave.feedback?.length ?? 0,
  };
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

function tokensOf({ summary: { usage = {} } }: StreamedCall): number {
  return Object.values(usage).reduce((sum, one) => {
    const input = number(one['prompt_tokens']) || number(one['input_tokens']);
    const output = number(one['completion_tokens']) || number(one['output_tokens']);
    return sum + (number(one['total_tokens']) || input + output);
  }, 0);
}

const COST_PARTS = [
  'prompt_tokens_total_cost',
  'completion_tokens_total_cost',
  'cache_read_input_tokens_total_cost',
  'cache_creation_input_tokens_total_cost',
];

function costOf({ summary: { weave } }: StreamedCall): number | null {
  if (weave.costs === undefined) return null;
  return Object.values(weave.costs).reduce(
    (sum, model) => COST_PARTS.reduce((inner, part) => inner + number(model[part]), sum),
    0,
  );
}
