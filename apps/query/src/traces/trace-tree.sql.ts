import { and, bind, raw, sql, tabSeparated, type Sql } from '@app/clickhouse';
import type { Micros } from '@app/wire';
import { startedSince } from '../calls/calls-where.js';
import { liveCalls } from '../calls/calls.sql.js';
import { USAGE_COLUMNS, type UsageColumns } from '../costs/usage-columns.js';
import type { TraceCall } from './trace-tree.js';

const ofTrace = (traceId: string, since: Micros | undefined): Sql =>
  and([sql`trace_id = ${bind('String', traceId)}`, ...startedSince(since)]);

/** The earliest calls of a trace. Calls before `since` are past their retention. */
export function callsOfTrace(
  projectId: string,
  traceId: string,
  since: Micros | undefined,
  limit: number,
): Sql {
  const where = ofTrace(traceId, since);
  const calls = liveCalls({ where, prefilter: where, isNarrow: true }, bind('String', projectId));
  return sql`SELECT id, parent_id, op_name, display_name, toString(status) AS status,
  toUnixTimestamp64Micro(started_at) AS started, toUnixTimestamp64Micro(ended_at) AS ended, otel_dump != '' AS is_span,
  if(empty(usage_model), '', toJSONString((${raw(USAGE_COLUMNS.join(', '))}))) AS usage
FROM ${calls} ORDER BY started_at, id LIMIT ${bind('UInt64', limit)}`;
}

/** A row of `callsOfTrace`. Most calls use no model, so usage is one text, and empty for them. */
export type TraceRow = Omit<TraceCall, keyof UsageColumns> & { readonly usage: string };

export const traceRow = tabSeparated<TraceRow>([
  ['id', 'text'],
  ['parent_id', 'text'],
  ['op_name', 'text'],
  ['display_name', 'text'],
  ['status', 'text'],
  ['started', 'number'],
  ['ended', 'number'],
  ['is_span', 'number'],
  ['usage', 'text'],
]);

export function traceCallOf(row: TraceRow): TraceCall {
  if (row.usage === '') return row;
  const values = JSON.parse(row.usage) as readonly unknown[][];
  const columns = USAGE_COLUMNS.map((name, i) => [name, values[i]] as const);
  return { ...row, ...(Object.fromEntries(columns) as UsageColumns) };
}

/** How many feedback records each call of a trace has. */
export function feedbackOfTrace(
  projectId: string,
  traceId: string,
  since: Micros | undefined,
): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const calls = sql`SELECT id FROM calls WHERE ${project} AND ${ofTrace(traceId, since)}`;
  return sql`SELECT call_id, count() AS records FROM feedback FINAL
WHERE ${project} AND call_id != '' AND call_id IN (${calls}) GROUP BY call_id`;
}
