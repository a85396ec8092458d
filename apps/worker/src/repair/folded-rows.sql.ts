import { FACTS_FOLDED, sql, type Sql } from '@app/clickhouse';

/**
 * Selects for every call the number of facts that its row was folded from, and whether a reader sees a row of it. A call may
 * have rows at several start times; of each, the one with the highest version counts.
 */
export function foldedRows(where: Sql): Sql {
  return sql`SELECT project_id, id, max(folded) AS folded, max(isVisible) AS isVisible
  FROM (
    SELECT project_id, id, max(${FACTS_FOLDED}) AS folded, argMax(is_deleted, (version, 1 - is_deleted)) = 0 AS isVisible
    FROM calls WHERE ${where} GROUP BY project_id, started_at, id
  )
  GROUP BY project_id, id`;
}

/** Counts the deletes of a call in the log; use in a query that groups facts by call. */
export const DELETES = sql`countIf(kind = 'delete')`;
