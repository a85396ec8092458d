import { decimalOf, totalOf, type Cost, type PriceList } from '@app/pricing';
import type { FeedbackOf } from './agent-feedback.reader.js';
import { spanCost, timeText } from './span-record.js';
import type { SpanRow } from './spans.sql.js';

/** A message in the form that ingest stores. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

interface ChatSpan {
  readonly row: SpanRow;
  readonly input: readonly ChatMessage[];
  readonly output: readonly ChatMessage[];
  readonly fields: Readonly<Record<string, unknown>>;
}

const text = (row: SpanRow, name: string): string | null => String(row[name] ?? '') || null;
const number = (row: SpanRow, name: string): number => Number(row[name] ?? 0);
const durationMs = ({ started, ended }: SpanRow): number =>
  Math.max(0, Math.floor((Number(ended) - Number(started)) / 1000));

/** The turn of a trace: its messages in the order of time, parents before children, and its totals. As JSON text. */
export function traceChat(
  traceId: string,
  rows: readonly SpanRow[],
  prices: PriceList,
  feedbackOf?: FeedbackOf,
): string {
  const spans = inOrder(rows).map(chatSpan);
  const root = spans[0]?.row;
  const seen = new Set<string>();
  const messages = spans.flatMap((span) =>
    messagesOf(span, seen, prices).map((message) => withFeedback(message, span, feedbackOf)),
  );
  const requests = rows.filter(({ model }) => model !== '');
  const counted = requests.length > 0 ? requests : rows;
  const sum = (name: string) => counted.reduce((total, row) => total + number(row, name), 0);
  const head = {
    trace_id: traceId,
    root_span_name: root ? text(root, 'span_name') : null,
    agent_name: firstText(spans, 'agent_name'),
    agent_version: firstText(spans, 'agent_version'),
    provider: firstText(spans, 'provider_name'),
    status_code: root ? text(root, 'status_code') : null,
    started_at: root ? timeText(root.started) : null,
    ended_at: root ? timeText(root.ended) : null,
    total_duration_ms: root ? durationMs(root) : null,
    wb_user_id: root ? text(root, 'user_id') : null,
    total_input_tokens: sum('prompt'),
    total_output_tokens: sum('completion'),
    total_cache_read_input_tokens: sum('cache_read'),
    total_cache_creation_input_tokens: sum('cache_write'),
    total_reasoning_tokens: sum('reasoning'),
  };
  const feedback = feedbackOf?.('agent_turn', traceId) ?? 'null';
  const cost = sumOf(rows.map((row) => spanCost(row, prices)));
  const total = cost === undefined ? 'null' : decimalOf(cost);
  return `${JSON.stringify(head).slice(0, -1)},"feedback":${feedback},"total_cost_usd":${total},"messages":[${messages.join(',')}]}`;
}

/** The feedback on a span is that on its messages. */
const withFeedback = (message: string, { row }: ChatSpan, feedbackOf?: FeedbackOf): string =>
  feedbackOf
    ? `${message.slice(0, -1)},"feedback":${feedbackOf('agent_span', String(row['span_id']))}}`
    : message;

/** Undefined when no part has a price. */
export function sumOf(costs: readonly (Cost | undefined)[]): bigint | undefined {
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + totalOf(cost), 0n);
}

function chatSpan(row: SpanRow): ChatSpan {
  const messages = JSON.parse(String(row['messages'] || '{}')) as Partial<ChatSpan>;
  const fields = JSON.parse(String(row['fields'] || '{}')) as ChatSpan['fields'];
  return { row, input: messages.input ?? [], output: messages.output ?? [], fields };
}

/** Children after their parent, siblings by time. A span whose parent is missing is a root. */
function inOrder(rows: readonly SpanRow[]): SpanRow[] {
  const ids = new Set(rows.map(({ span_id }) => span_id));
  const children = new Map<unknown, SpanRow[]>();
  for (const row of rows) {
    const parent = ids.has(row['parent_span_id']) ? row['parent_span_id'] : '';
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const ordered: SpanRow[] = [];
  const pending = [...(children.get('') ?? [])].reverse();
  while (pending.length > 0) {
    const row = pending.pop()!;
    ordered.push(row);
    pending.push(...[...(children.get(row['span_id']) ?? [])].reverse());
  }
  return ordered;
}

const firstText = (spans: readonly ChatSpan[], name: string): string | null =>
  spans.map(({ row }) => text(row, name)).find((value) => value !== null) ?? null;

/** Every request repeats the messages before it, so a message of a role and content is shown once. */
function messagesOf(span: ChatSpan, seen: Set<string>, prices: PriceList): string[] {
  const { row, input, output } = span;
  const operation = text(row, 'operation_name');
  const messages: string[] = [];
  if (operation === 'invoke_agent') messages.push(event(span, 'agent_start', agentStart(span)));
  if (span.fields['compaction_summary'] !== undefined)
    messages.push(event(span, 'context_compacted', compaction(span)));
  if (operation === 'execute_tool') return [...messages, event(span, 'tool_call', toolCall(span))];
  for (const { role, content } of input)
    if (role === 'user' && isNew(seen, role, content))
      messages.push(event(span, 'user_message', { text: content, content_refs: [] }));
  for (const { role, content } of output)
    if (role === 'assistant' && content !== '' && isNew(seen, role, content))
      messages.push(assistantMessage(span, content, prices));
  return messages;
}

function isNew(seen: Set<string>, role: string, content: string): boolean {
  const key = JSON.stringify([role, content]);
  return !seen.has(key) && seen.add(key) !== undefined;
}

const agentStart = ({ row, fields }: ChatSpan) => ({
  model: text(row, 'request_model'),
  status: text(row, 'status_code'),
  system_instructions: (fields['system_instructions'] as string[] | undefined)?.join('\n') ?? null,
  tool_definitions: fields['tool_definitions'] ?? null,
});

const compaction = ({ fields }: ChatSpan) => ({
  compaction_summary: fields['compaction_summary'] ?? null,
  compaction_items_before: fields['compaction_items_before'] ?? null,
  compaction_items_after: fields['compaction_items_after'] ?? null,
});

const toolCall = ({ row, fields }: ChatSpan) => ({
  tool_name: text(row, 'tool_name'),
  tool_arguments: fields['tool_call_arguments'] ?? null,
  tool_result: fields['tool_call_result'] ?? null,
  duration_ms: durationMs(row),
  status: text(row, 'status_code'),
  content_refs: fields['content_refs'] ?? [],
});

function assistantMessage(span: ChatSpan, content: string, prices: PriceList): string {
  const { row, fields } = span;
  const message = {
    text: content,
    model: text(row, 'response_model') ?? text(row, 'request_model'),
    input_tokens: number(row, 'prompt') || null,
    output_tokens: number(row, 'completion') || null,
    reasoning_tokens: number(row, 'reasoning') || null,
    reasoning_content: fields['reasoning_content'] ?? null,
    duration_ms: durationMs(row),
    status: text(row, 'status_code'),
    content_refs: fields['content_refs'] ?? [],
  };
  const cost = spanCost(row, prices);
  const costs = cost
    ? `,"input_cost_usd":${decimalOf(cost.prompt + cost.cacheRead + cost.cacheWrite)},"output_cost_usd":${decimalOf(cost.completion)},"total_cost_usd":${decimalOf(totalOf(cost))}`
    : '';
  return event(span, 'assistant_message', `${JSON.stringify(message).slice(0, -1)}${costs}}`);
}

/** An entry of the timeline as JSON text. `payload` is a value, or JSON text. */
function event({ row }: ChatSpan, type: string, payload: object | string): string {
  const head = {
    type,
    span_id: row['span_id'],
    agent_name: text(row, 'agent_name'),
    agent_version: text(row, 'agent_version'),
    started_at: timeText(row.started),
    status_code: text(row, 'status_code'),
    status_message: text(row, 'status_message'),
    error_type: text(row, 'error_type'),
  };
  const json = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return `${JSON.stringify(head).slice(0, -1)},"${type}":${json}}`;
}
