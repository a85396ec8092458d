import { and, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsQuery } from './calls-query.js';
import { callsAt, keyList, startList, type CallKey } from './calls.sql.js';

/** PREWHERE has the cheap conditions: the prefilter searches bytes, and only rows that pass it are parsed. */
export function matchingRows({ projectId, where, prefilter }: CallsQuery, limit: number): Sql {
  const cheap = and([
    sql`project_id = ${bind('String', projectId)}`,
    sql`is_deleted = 0`,
    prefilter,
  ]);
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started, id, version FROM calls
PREWHERE ${cheap} WHERE ${where ?? raw('true')} LIMIT ${bind('UInt64', limit)}`;
}

/** The rows that FINAL would return at these keys, at a lower cost. Of equal versions the one that is not deleted wins. */
export function newestRows(projectId: string, keys: readonly CallKey[]): Sql {
  return sql`SELECT started, id, newest.1 AS version, newest.3 AS size_bytes FROM (
  SELECT toUnixTimestamp64Micro(started_at) AS started, id, max((version, is_deleted = 0, size_bytes)) AS newest FROM calls
  PREWHERE project_id = ${bind('String', projectId)} AND started_at IN (${startList(keys)})
  WHERE (started_at, id) IN (${keyList(keys)})
  GROUP BY started_at, id)
WHERE newest.2`;
}

/** The calls at these keys whose newest version matches. */
export function matchingCallsAt({ projectId, where }: CallsQuery, keys: readonly CallKey[]): Sql {
  const calls = callsAt(projectId, keys, ['started_at', 'id', 'version', 'size_bytes']);
  return where ? sql`${calls} WHERE ${where}` : calls;
}
