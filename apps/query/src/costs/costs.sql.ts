import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { RecordsQuery } from '../records-query.js';

/** Prices of the project itself; column `v<i>` has the i-th value. */
export function queryCosts(
  projectId: string,
  { where, page }: RecordsQuery,
  values: readonly Sql[],
): Sql {
  const columns = values.map((value, i) => sql`${value} AS ${raw(`v${i}`)}`);
  const ofProject = sql`level = 'project' AND level_id = ${bind('String', projectId)}`;
  return sql`SELECT ${join(columns, ', ')} FROM prices FINAL
WHERE ${and([ofProject, where])}${page}`;
}
