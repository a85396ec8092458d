import { bind, raw, sql, type Sql } from '@app/clickhouse';
import {
  column,
  computed,
  ExprError,
  shown,
  textColumn,
  timeColumn,
  type FieldMap,
  type Place,
  type Plain,
} from '@app/query-language';

const TEXTS = [
  ...['trace_id', 'span_id', 'parent_span_id', 'span_name', 'span_kind', 'status_code'],
  ...['status_message', 'error_type', 'operation_name', 'provider_name', 'agent_name', 'agent_id'],
  ...['agent_version', 'conversation_id', 'conversation_name', 'request_model', 'response_model'],
  ...['tool_name', 'eval_run_id', 'parent_call_id', 'parent_call_trace_id'],
];

const count = (name: string): Plain => computed('number', raw(`toFloat64(${name})`));

export const DURATION_MS = sql`intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000)`;

const FIELDS: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ...TEXTS.map((name): [string, Plain] => [name, textColumn(name)]),
  ['project_id', column('text', 'project_id')],
  ['wb_user_id', textColumn('user_id')],
  ['wb_run_id', textColumn('run_id')],
  ['started_at', column('time', 'started_at')],
  ['ended_at', timeColumn('ended_at')],
  ['duration_ms', computed('number', sql`toFloat64(${DURATION_MS})`)],
  ['input_tokens', count('prompt')],
  ['output_tokens', count('completion')],
  ['total_tokens', count('total')],
  ['cache_read_input_tokens', count('cache_read')],
  ['cache_creation_input_tokens', count('cache_write')],
  ['reasoning_tokens', count('reasoning')],
  ['is_error', computed('bool', raw(`status_code = 'ERROR'`))],
  ['is_invocation', computed('bool', raw(`operation_name = 'invoke_agent'`))],
  ['messages', computed('text', raw('messages'))],
]);

const CUSTOM: Readonly<Record<string, (value: Sql, unset: Sql) => Plain>> = {
  custom_attrs_string: (value, unset) => computed('text', value, unset),
  custom_attrs_int: (value, unset) => computed('number', sql`toFloat64(${value})`, unset),
  custom_attrs_float: (value, unset) => computed('number', value, unset),
  custom_attrs_bool: (value, unset) => computed('bool', value, unset),
};

/** One of the client's own attributes. */
function customField(source: string, key: string): Plain | undefined {
  const of = Object.hasOwn(CUSTOM, source) ? CUSTOM[source] : undefined;
  const name = bind('String', key);
  return of?.(sql`${raw(source)}[${name}]`, sql`NOT mapContains(${raw(source)}, ${name})`);
}

/** `agent.name` and `gen_ai.agent.name` are `agent_name`; `usage.input_tokens` is `input_tokens`. */
const columnName = (path: string): string =>
  path
    .replace(/^gen_ai\./, '')
    .replace(/^usage\./, '')
    .replaceAll('.', '_');

/** The fields of a span that a query, a group or a measure may name. */
export const SPAN_FIELDS: FieldMap = {
  field(path: string, at: Place): Plain {
    const [, source = '', key = ''] = /^(custom_attrs_\w+)\.([^]+)$/.exec(path) ?? [];
    const field = FIELDS.get(path) ?? FIELDS.get(columnName(path)) ?? customField(source, key);
    if (field) return field;
    throw new ExprError('shape', at, `${shown(path)} is not a field of a span`);
  },
};

interface Ref {
  readonly key: string;
  readonly source?: string | null;
}

export function referredField({ key, source }: Ref, at: Place): Plain {
  const custom = source ? customField(source, key) : undefined;
  return custom ?? (SPAN_FIELDS.field(key, at) as Plain);
}
