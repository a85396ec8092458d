import { and, atMillis, bind, CALLS, raw, ROOT_USAGE, sql, type Sql } from '@app/clickhouse';
import type { Millis } from '@app/wire';
import { DELETES, foldedRows } from './folded-rows.sql.js';

/** Which facts a repair is about. */
export interface Range {
  readonly projectId?: string;
  readonly storedFrom?: Millis;
  readonly storedBefore?: Millis;
  readonly receivedFrom?: Millis;
  readonly receivedBefore?: Millis;
}

function inRange(range: Range): Sql {
  return and([
    range.projectId !== undefined && sql`project_id = ${bind('String', range.projectId)}`,
    range.storedFrom !== undefined && sql`stored_at >= ${atMillis(range.storedFrom)}`,
    range.storedBefore !== undefined && sql`stored_at < ${atMillis(range.storedBefore)}`,
    range.receivedFrom !== undefined && sql`received_at >= ${atMillis(range.receivedFrom)}`,
    range.receivedBefore !== undefined && sql`received_at < ${atMillis(range.receivedBefore)}`,
  ]);
}

/** One page of the calls that have a fact in the range, in the order of the log, after the given one. */
export function callsInRange(range: Range, after: readonly [string, string], limit: number): Sql {
  return sql`SELECT DISTINCT project_id, call_id FROM call_events
WHERE ${inRange(range)}
  AND (project_id, call_id) > (${bind('String', after[0])}, ${bind('String', after[1])})
ORDER BY project_id, call_id LIMIT ${bind('UInt64', limit)}`;
}

export function countInRange(range: Range): Sql {
  return sql`SELECT uniqExact(project_id, call_id) AS calls FROM call_events WHERE ${inRange(range)}`;
}

/**
 * Calls with a fact in the range whose row was folded from fewer facts than the log has, that have a start but no row, or
 * that are deleted and visible. After an erasure the row of a deleted call was folded from more facts than the log has. A
 * call with a later fact is skipped, because its flush may be running; the range of that fact includes it.
 */
export function staleCalls(range: Range & { readonly storedBefore: Millis }): Sql {
  const candidates = sql`SELECT project_id, call_id FROM call_events WHERE ${inRange(range)}`;
  return sql`SELECT log.project_id AS project_id, log.call_id AS call_id
FROM (
  SELECT project_id, call_id, uniqExact(event_id) AS facts, ${DELETES} AS deletes
  FROM call_events WHERE (project_id, call_id) GLOBAL IN (${candidates})
  GROUP BY project_id, call_id
  HAVING countIf(kind IN ('start', 'complete')) > 0 AND max(stored_at) < ${atMillis(range.storedBefore)}
) AS log
LEFT JOIN (
  ${foldedRows(sql`(project_id, id) GLOBAL IN (${candidates})`)}
) AS row ON row.project_id = log.project_id AND row.id = log.call_id
WHERE if(log.deletes > 0, row.isVisible = 1, log.facts > row.folded)`;
}

/**
 * Copies the rows that hide deleted calls into a table whose name ends in `suffix`. An erasure removes the start from the
 * log, so that a fold has no such row. Without it a flush that was paused would bring the erased call back.
 */
export function copyHiddenRows(suffix: string): Sql {
  return sql`INSERT INTO ${raw(`${CALLS.name}${suffix}`)} SELECT * FROM ${raw(CALLS.name)}
WHERE is_deleted = 1 AND (project_id, id) GLOBAL IN (SELECT project_id, call_id FROM call_events WHERE kind = 'delete')`;
}

/** Every column that depends on facts only. Costs also depend on prices. */
const CHECKED = {
  calls: Object.keys(CALLS.columns).filter((name) => name !== 'cost_at_write'),
  root_usage: Object.keys(ROOT_USAGE.columns),
};
export type CheckedTable = keyof typeof CHECKED;

/** Row count and checksum of a table, without calls that have newer facts. */
export function checksum(table: CheckedTable, suffix: string, unchangedSince: Millis): Sql {
  return sql`SELECT count() AS rows, toString(sum(cityHash64(${raw(CHECKED[table].join(', '))}))) AS sum
FROM ${raw(`${table}${suffix}`)} FINAL
WHERE (project_id, id) NOT IN (
  SELECT project_id, call_id FROM call_events WHERE stored_at >= ${atMillis(unchangedSince)}
)`;
}
