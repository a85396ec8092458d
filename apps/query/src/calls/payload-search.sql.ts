import { and, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsQuery } from './calls-query.js';
import { callsAt, keyList, startList, type CallKey } from './calls.sql.js';

/** Reading is in the order of what is cheap: the guess searches bytes, what it leaves over is read exactly. */
export function matchingRows({ projectId, where, prefilter }: CallsQuery, most: number): Sql {
  const cheap = and([
    sql`project_id = ${bind('String', projectId)}`,
    sql`is_deleted = 0`,
    prefilter,
  ]);
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started, id, version FROM calls
PREWHERE ${cheap} WHERE ${where ?? raw('true')} LIMIT ${bind('UInt64', most)}`;
}

/** What FINAL would leave at these keys, for less: of equal versions the living row counts. */
export function newestRows(projectId: string, keys: readonly CallKey[]): Sql {
  return sql`SELECT started, id, newest.1 AS version, newest.3 AS size_bytes FROM (
  SELECT toUnixTimestamp64Micro(started_at) AS started, id, max((version, is_deleted = 0, size_bytes)) AS newest FROM calls
  PREWHERE project_id = ${bind('String', projectId)} AND started_at IN (${startList(keys)})
  WHERE (started_at, id) IN (${keyList(keys)})
  GROUP BY started_at, id)
WHERE newest.2`;
}

/** Those of the calls at these keys that match as they are now. */
export function matchingCallsAt({ projectId, where }: CallsQuery, keys: readonly CallKey[]): Sql {
  const calls = callsAt(projectId, keys, ['started_at', 'id', 'version', 'size_bytes']);
  return where ? sql`${calls} WHERE ${where}` : calls;
}
