import { costOf, decimalOf, totalOf, type Cost, type PriceList } from '@app/pricing';
import { micros, printTimestamp } from '@app/wire';
import type { SpanRow } from './spans.sql.js';

const text = (row: SpanRow, name: string): string => String(row[name] ?? '');
const textOrNull = (row: SpanRow, name: string): string | null => text(row, name) || null;
const number = (row: SpanRow, name: string): number => Number(row[name] ?? 0);
const countOrNull = (row: SpanRow, name: string): number | null => number(row, name) || null;

export const timeText = (at: number | string): string | null =>
  Number(at) === 0 ? null : printTimestamp(micros(Number(at)));

const TEXTS = [
  ...['parent_span_id', 'span_name', 'span_kind', 'status_code', 'status_message', 'error_type'],
  ...['operation_name', 'provider_name', 'agent_name', 'agent_id', 'agent_version'],
  ...['conversation_id', 'conversation_name', 'request_model', 'response_model', 'tool_name'],
  ...['eval_run_id', 'parent_call_id', 'parent_call_trace_id'],
];
const LISTS = [
  ...['artifact_refs', 'content_refs', 'object_refs', 'finish_reasons'],
  ...['request_stop_sequences', 'system_instructions'],
];

const USD = 'USD';

/** The cost of a span; undefined without a price in US dollars. */
export function spanCost(row: SpanRow, prices: PriceList): Cost | undefined {
  const price = prices.at(text(row, 'model'), micros(Number(row.started)));
  if (price?.promptUnit !== USD || price.completionUnit !== USD) return undefined;
  const tokens = {
    uncached: number(row, 'uncached'),
    completion: number(row, 'completion'),
    cacheRead: number(row, 'cache_read'),
    cacheWrite: number(row, 'cache_write'),
  };
  return costOf(tokens, price);
}

/** Costs as JSON members, with all digits. */
const costMembers = (cost: Cost | undefined): string =>
  cost === undefined
    ? ''
    : `,"input_cost_usd":${decimalOf(cost.prompt)},"output_cost_usd":${decimalOf(cost.completion)}` +
      `,"cache_read_cost_usd":${decimalOf(cost.cacheRead)},"cache_creation_cost_usd":${decimalOf(cost.cacheWrite)}` +
      `,"total_cost_usd":${decimalOf(totalOf(cost))}`;

/** A span as JSON text. */
export function spanRecord(row: SpanRow, prices: PriceList | undefined): string {
  const fields = JSON.parse(text(row, 'fields') || '{}') as Record<string, unknown>;
  const messages = JSON.parse(text(row, 'messages') || '{}') as Record<string, unknown>;
  const record = {
    project_id: row['project_id'],
    trace_id: row['trace_id'],
    span_id: row['span_id'],
    ...Object.fromEntries(TEXTS.map((name) => [name, textOrNull(row, name)])),
    started_at: timeText(row.started),
    ended_at: timeText(row.ended),
    ...Object.fromEntries(LISTS.map((name) => [name, []])),
    ...fields,
    input_tokens: countOrNull(row, 'prompt'),
    output_tokens: countOrNull(row, 'completion'),
    cache_read_input_tokens: countOrNull(row, 'cache_read'),
    cache_creation_input_tokens: countOrNull(row, 'cache_write'),
    reasoning_tokens: countOrNull(row, 'reasoning'),
    wb_user_id: textOrNull(row, 'user_id'),
    wb_run_id: textOrNull(row, 'run_id'),
    input_messages: messages['input'] ?? [],
    output_messages: messages['output'] ?? [],
    ...(row['dump'] === undefined ? {} : { raw_span_dump: row['dump'] }),
  };
  const custom = ['string', 'int', 'float', 'bool']
    .map((type) => `"custom_attrs_${type}":${text(row, `custom_attrs_${type}_json`) || '{}'}`)
    .join(',');
  const cost = prices && spanCost(row, prices);
  return `${JSON.stringify(record).slice(0, -1)},${custom}${costMembers(cost)}}`;
}
