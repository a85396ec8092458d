import { and, atMicros, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { PayloadMember } from '@app/contracts';
import type { Micros } from '@app/wire';
import { startedSince } from './calls-where.js';
import type { CallsQuery } from './calls-query.js';
import { liveCalls } from './calls.sql.js';

const calls = (query: CallsQuery): Sql => liveCalls(query, bind('String', query.projectId));

/** The same query for calls that started in this range. */
export function startedWithin(
  query: CallsQuery,
  from: Micros | undefined,
  to: Micros | undefined,
): CallsQuery {
  const window = [
    ...(from === undefined ? [] : [sql`started_at >= ${atMicros(from)}`]),
    ...(to === undefined ? [] : [sql`started_at < ${atMicros(to)}`]),
  ];
  return window.length === 0 ? query : { ...query, window: and(window) };
}

/** The first start of a matching call; no row when none matches. */
export const firstStart = (query: CallsQuery): Sql =>
  sql`SELECT toUnixTimestamp64Micro(min(calls.started_at)) AS started FROM ${calls(query)} HAVING count() > 0`;

/** Calls and errors per bucket; empty buckets have no row. */
export const callsPerBucket = (query: CallsQuery, from: Micros, widthMicros: number): Sql =>
  sql`SELECT intDiv(toUnixTimestamp64Micro(started_at) - ${bind('Int64', from)}, ${bind('Int64', widthMicros)}) AS bucket,
  count() AS calls, countIf(status = 'error') AS errors
FROM ${calls(query)} GROUP BY bucket`;

/**
 * The most frequent values of each field among the newest calls, in one pass. Row 0 has the number of calls. A missing
 * value is '' and comes first, so that the limit does not cut it off.
 */
export function facetValues(
  query: CallsQuery,
  fields: readonly Sql[],
  sample: number,
  limit: number,
): Sql {
  const columns = fields.map((values, i) => sql`${values} AS ${raw(`values${i}`)}`);
  const pairs = fields.map((_, i) =>
    raw(`arrayMap(value -> (toUInt8(${i + 1}), value), if(empty(values${i}), [''], values${i}))`),
  );
  return sql`SELECT field, value, count, count() OVER (PARTITION BY field) AS values FROM (
  SELECT pair.1 AS field, pair.2 AS value, count() AS count FROM (
    SELECT arrayJoin(arrayConcat([(toUInt8(0), '')], ${join(pairs, ', ')})) AS pair FROM (
      SELECT ${join(columns, ', ')} FROM ${calls(query)}
      ORDER BY started_at DESC LIMIT ${bind('UInt64', sample)}))
  GROUP BY field, value)
ORDER BY field, value != '', count DESC, value LIMIT ${bind('UInt64', limit + 1)} BY field`;
}

/** Some bytes of one payload, in Base64 because they may begin or end inside a character. As `readCall` finds the call. */
export function payloadOfCall(
  projectId: string,
  id: string,
  member: PayloadMember,
  range: { readonly offset: number; readonly length: number },
  since: Micros | undefined,
): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    sql`id = ${bind('String', id)}`,
    ...startedSince(since),
  ]);
  const column = raw(member);
  return sql`SELECT version, length(payload) AS size,
  base64Encode(substring(payload, ${bind('UInt64', range.offset + 1)}, ${bind('UInt64', range.length)})) AS bytes
FROM (
  SELECT toString(version) AS version, ${column} AS payload, is_deleted FROM calls PREWHERE ${where}
  ORDER BY calls.version DESC, is_deleted LIMIT 1 BY started_at)
WHERE is_deleted = 0 LIMIT 1
SETTINGS query_plan_optimize_lazy_materialization = 0`;
}
