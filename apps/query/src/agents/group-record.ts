import { micros, printTimestamp } from '@app/wire';
import type { ChatMessage } from './agent-chat.js';
import type { SpanColumn } from './span-measures.js';
import { timeText } from './span-record.js';

type Value = string | number | boolean | null;

export interface GroupRow {
  readonly [column: string]: Value | readonly string[];
}

const NUMBERS = [
  ...['span_count', 'error_count', 'invocation_count', 'conversation_count', 'total_duration_ms'],
  ...['total_input_tokens', 'total_output_tokens', 'total_cache_read_input_tokens'],
  ...['total_cache_creation_input_tokens', 'total_reasoning_tokens'],
];
const LISTS = [
  ...['agent_names', 'agent_versions', 'conversation_names', 'provider_names', 'request_models'],
];
const COSTS = ['total_cost_usd', 'total_input_cost_usd', 'total_output_cost_usd'];

/** A value of a column as JSON has it. ClickHouse prints 64-bit integers as text. */
export function columnValue(value: GroupRow[string] | undefined, type: SpanColumn['type']): Value {
  if (value === null || value === undefined) return null;
  if (type === 'datetime') return printTimestamp(micros(Number(value)));
  if (type === 'boolean') return value === true || value === 1 || value === 'true';
  if (type === 'number') return Number.isFinite(Number(value)) ? Number(value) : null;
  return typeof value === 'object' ? value.join(', ') : String(value);
}

/** Totals of a group as JSON members. Costs keep all digits. */
export function totalsText(row: GroupRow, names: readonly string[] = NUMBERS): string {
  const totals = {
    ...Object.fromEntries(names.map((name) => [name, Number(row[name] ?? 0)])),
    first_seen: timeText(Number(row['first_seen'])),
    last_seen: timeText(Number(row['last_seen'])),
  };
  const costs = COSTS.filter((name) => row[name] !== undefined).map(
    (name) => `,"${name}":${typeof row[name] === 'string' ? row[name] : 'null'}`,
  );
  return `${JSON.stringify(totals).slice(1, -1)}${costs.join('')}`;
}

const PREVIEW_CHARACTERS = 200;

/** One of the messages of a span, shortened. Null when the span has none of a user or an assistant. */
function preview(
  messages: GroupRow[string] | undefined,
  choose: (all: readonly ChatMessage[]) => ChatMessage | undefined,
): object | null {
  if (typeof messages !== 'string' || messages === '') return null;
  const { input = [], output = [] } = JSON.parse(messages) as Record<string, ChatMessage[]>;
  const shown = [...input, ...output].filter(
    ({ role, content }) => (role === 'user' || role === 'assistant') && content.trim() !== '',
  );
  const message = choose(shown);
  return message === undefined
    ? null
    : {
        role: `${message.role}_message`,
        text: message.content.trim().slice(0, PREVIEW_CHARACTERS),
      };
}

/** A group of spans as JSON text. */
export function groupRecord(
  row: GroupRow,
  keys: readonly SpanColumn[],
  measures: readonly SpanColumn[],
  distributions: Readonly<Record<string, object>> = {},
): string {
  const values = (columns: readonly SpanColumn[], prefix: string) =>
    Object.fromEntries(
      columns.map(({ name, type }, i) => [name, columnValue(row[`${prefix}${i}`], type)]),
    );
  const head = {
    group_keys: values(keys, 'k'),
    metrics: values(measures, 'm'),
    distributions,
    first_message: preview(row['first_messages'], (all) => all[0]),
    last_message: preview(row['last_messages'], (all) => all.at(-1)),
    ...Object.fromEntries(LISTS.map((name) => [name, [...(row[name] as string[])].sort()])),
  };
  return `${JSON.stringify(head).slice(0, -1)},${totalsText(row)}}`;
}
