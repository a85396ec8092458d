// Where a stream of calls by time goes on: after its last call, in windows that have few rows.
import { and, atMicros, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { Direction } from '@app/query-language';
import { micros, type Micros } from '@app/wire';
import type { CallKey } from './calls.sql.js';
import type { CallsQuery } from './calls-query.js';

/** Calls after this one in the order of time. The first condition is redundant, but the index can use only that one. */
export function afterCall(direction: Direction, { started, id }: CallKey): Sql {
  const start = atMicros(micros(Number(started)));
  const [orEqual, after] = direction === 'asc' ? ['>=', '>'] : ['<=', '<'];
  return sql`started_at ${raw(orEqual)} ${start} AND (started_at, id) ${raw(after)} (${start}, ${bind('String', id)})`;
}

export const afterTimestamp = (direction: Direction, timestamp: Micros): Sql =>
  sql`started_at ${raw(direction === 'asc' ? '>' : '<')} ${atMicros(timestamp)}`;

export const upToTimestamp = (direction: Direction, timestamp: Micros): Sql =>
  sql`started_at ${raw(direction === 'asc' ? '<=' : '>=')} ${atMicros(timestamp)}`;

/** The start time of the row after the first `rows` that may match; no row when there are not that many. */
export function endOfWindow(
  { projectId, prefilter, order, window }: CallsQuery,
  rows: number,
): Sql {
  const where = and([sql`project_id = ${bind('String', projectId)}`, window, prefilter]);
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started FROM calls WHERE ${where}
ORDER BY started_at ${raw(order.byTime === 'desc' ? 'DESC' : 'ASC')} LIMIT 1 OFFSET ${bind('UInt64', rows)}`;
}

/** The newest start time in a project, outdated rows included. */
export function newestStart(projectId: string): Sql {
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started FROM calls
WHERE project_id = ${bind('String', projectId)} ORDER BY started_at DESC LIMIT 1`;
}
