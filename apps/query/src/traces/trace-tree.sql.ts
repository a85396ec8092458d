import { and, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { Micros } from '@app/wire';
import { startedSince } from '../calls/calls-where.js';
import { liveCalls } from '../calls/calls.sql.js';
import { USAGE_COLUMNS } from '../costs/usage-columns.js';

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
  ${raw(USAGE_COLUMNS.join(', '))}
FROM ${calls} ORDER BY started_at, id LIMIT ${bind('UInt64', limit)}`;
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
