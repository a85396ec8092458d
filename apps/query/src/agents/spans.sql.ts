import { and, atMicros, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { compileExpr, parseQuery, sortKeys } from '@app/query-language';
import { parseTimestamp, type Micros } from '@app/wire';
import { directionOf, limitClause, type Page } from '../paging.js';
import { DURATION_MS, SPAN_FIELDS } from './span-fields.js';

/** Which spans a read is about. */
export interface SpansRequest {
  readonly project_id: string;
  readonly query?: object | null;
  readonly started_after?: string | null;
  readonly started_before?: string | null;
}

/** `FROM … WHERE …` of the matching spans, each once. PREWHERE on the key is safe under FINAL. */
export function spansFrom(
  request: SpansRequest,
  since: Micros | undefined,
  conditions: readonly (Sql | false | undefined)[] = [],
): Sql {
  const { project_id, query, started_after, started_before } = request;
  const key = and([
    sql`project_id = ${bind('String', project_id)}`,
    since !== undefined && sql`started_at >= ${atMicros(since)}`,
    Boolean(started_after) && sql`started_at >= ${atMicros(parseTimestamp(started_after ?? ''))}`,
    Boolean(started_before) && sql`started_at < ${atMicros(parseTimestamp(started_before ?? ''))}`,
  ]);
  const expr = query ? compileExpr(parseQuery(query), SPAN_FIELDS) : undefined;
  const where = and([raw('1'), expr, ...conditions]);
  return sql`FROM agent_spans FINAL PREWHERE ${key} WHERE ${where}`;
}

const COLUMNS = [
  ...['project_id', 'trace_id', 'span_id', 'parent_span_id', 'span_name', 'span_kind'],
  ...['status_code', 'status_message', 'error_type', 'operation_name', 'provider_name'],
  ...['agent_name', 'agent_id', 'agent_version', 'conversation_id', 'conversation_name'],
  ...['request_model', 'response_model', 'tool_name', 'eval_run_id', 'parent_call_id'],
  ...['parent_call_trace_id', 'user_id', 'run_id', 'model', 'uncached', 'prompt', 'completion'],
  ...['cache_read', 'cache_write', 'total', 'reasoning', 'fields', 'messages'],
];
const CUSTOM = ['string', 'int', 'float', 'bool'].map((type) => `custom_attrs_${type}`);

export interface SpanRow {
  readonly [column: string]: string | number | undefined;
  readonly started: number | string;
  readonly ended: number | string;
}

/** The columns of whole spans. */
export const spanColumns = (withDump: boolean): Sql =>
  raw(
    [
      ...COLUMNS,
      ...CUSTOM.map((name) => `toJSONString(${name}) AS ${name}_json`),
      'toUnixTimestamp64Micro(started_at) AS started',
      'toUnixTimestamp64Micro(ended_at) AS ended',
      ...(withDump ? ['dump'] : []),
    ].join(', '),
  );

interface Sorted {
  readonly field: string;
  readonly direction?: 'asc' | 'desc' | null;
  readonly order?: 'asc' | 'desc' | null;
}

export function spanOrder(sortBy: readonly Sorted[] | null | undefined): Sql {
  const keys = (sortBy ?? []).map((key, i) => {
    const at = ['sort_by', i, 'field'];
    return sortKeys(SPAN_FIELDS.field(key.field, at), directionOf(key, i), at);
  });
  const last = raw('started_at DESC, span_id');
  return sql`ORDER BY ${join([...keys, last], ', ')}`;
}

export const spansQuery = (from: Sql, withDump: boolean, order: Sql, page: Page): Sql =>
  sql`SELECT ${spanColumns(withDump)} ${from} ${order}${limitClause(page)}`;

export const spanCount = (from: Sql): Sql => sql`SELECT count() AS count ${from}`;

/** Tokens of requests to models; of other spans where there are none, such as an agent that reports only its sum. */
const tokens = (name: string): string =>
  `if(sumIf(${name}, model != '') > 0, sumIf(${name}, model != ''), sum(${name}))`;

/** The totals of groups of spans. */
export const SPAN_TOTALS = sql`count() AS span_count, countIf(status_code = 'ERROR') AS error_count,
  countIf(operation_name = 'invoke_agent') AS invocation_count,
  uniqExactIf(conversation_id, conversation_id != '') AS conversation_count,
  toUnixTimestamp64Micro(min(agent_spans.started_at)) AS first_seen, toUnixTimestamp64Micro(max(agent_spans.started_at)) AS last_seen,
  if(invocation_count > 0, sumIf(${DURATION_MS}, operation_name = 'invoke_agent'), sum(${DURATION_MS})) AS total_duration_ms,
  ${raw(tokens('prompt'))} AS total_input_tokens, ${raw(tokens('completion'))} AS total_output_tokens,
  ${raw(tokens('cache_read'))} AS total_cache_read_input_tokens,
  ${raw(tokens('cache_write'))} AS total_cache_creation_input_tokens, sum(reasoning) AS total_reasoning_tokens`;

const LIST_MAX = 20;
const distinct = (name: string, alias: string): string =>
  `groupUniqArrayIf(${LIST_MAX})(${name}, ${name} != '') AS ${alias}`;

export const SPAN_NAMES = raw(
  [
    distinct('agent_name', 'agent_names'),
    distinct('agent_version', 'agent_versions'),
    distinct('conversation_name', 'conversation_names'),
    distinct('provider_name', 'provider_names'),
    distinct('request_model', 'request_models'),
  ].join(', '),
);

/** The names of the client's own attributes, and how many spans have each. */
export function customAttributes(from: Sql, page: Page): Sql {
  const of = (type: string) =>
    sql`SELECT arrayJoin(mapKeys(${raw(`custom_attrs_${type}`)})) AS key, ${bind('String', type)} AS type ${from}`;
  const all = join(['string', 'int', 'float', 'bool'].map(of), ' UNION ALL ');
  return sql`SELECT key, type, count() AS spans FROM (${all}) GROUP BY key, type ORDER BY key, type${limitClause(page)}`;
}
