import { bind, sql, type Sql } from '@app/clickhouse';
import type { PricedSql } from '@app/pricing';

/** The months in which a project has used models. */
export function usedMonths(projectId: string): Sql {
  return sql`SELECT toYYYYMM(started_at) AS month, count() AS calls FROM calls
WHERE project_id = ${bind('String', projectId)} AND notEmpty(usage_model) GROUP BY month ORDER BY month DESC`;
}

export function usedModels(projectId: string): Sql {
  return sql`SELECT DISTINCT arrayJoin(usage_model) AS model FROM calls WHERE project_id = ${bind('String', projectId)}`;
}

/**
 * Inserts the rows of a month again whose cost differs from the prices. The version stays the same: a row with a newer fact
 * wins, and of equal versions the one inserted last.
 */
export function repriceMonth(
  projectId: string,
  month: number,
  priced: PricedSql,
  revision: number,
): Sql {
  const { cost } = priced.perCall();
  return sql`INSERT INTO calls SELECT * EXCEPT (new_cost) REPLACE (new_cost AS cost_at_write, ${bind('UInt64', revision)} AS price_rev)
FROM (SELECT *, ${cost} AS new_cost FROM calls FINAL
  PREWHERE project_id = ${bind('String', projectId)} WHERE toYYYYMM(started_at) = ${bind('UInt32', month)}
    AND notEmpty(usage_model) AND new_cost != cost_at_write)`;
}
