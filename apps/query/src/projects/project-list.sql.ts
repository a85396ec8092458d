import { and, atMicros, bind, raw, sql, type Sql } from '@app/clickhouse';
import { EVERYTHING } from '@app/auth';
import { defaultPrices, projectPrices } from '@app/pricing';
import type { Micros } from '@app/wire';

export interface ProjectsPage {
  readonly scope: string;
  readonly search: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** The projects that have calls or objects, in the order of the primary key: ClickHouse stops at the limit. */
export function projectIds(page: ProjectsPage): Sql {
  const { limit } = page;
  const rows = bind('UInt64', limit);
  const of = (table: string) =>
    sql`SELECT DISTINCT toString(project_id) AS project_id FROM ${raw(table)} WHERE ${inPage(page, table)} ORDER BY project_id LIMIT ${rows}`;
  return sql`SELECT DISTINCT project_id FROM (${of('calls')} UNION ALL ${of('objects')}) ORDER BY project_id LIMIT ${rows}`;
}

function inPage({ scope, search, after }: ProjectsPage, table: string): Sql {
  const id = raw(`${table}.project_id`);
  return and([
    raw('1'),
    scope.includes('/') && sql`${id} = ${bind('String', scope)}`,
    scope !== EVERYTHING &&
      !scope.includes('/') &&
      sql`startsWith(${id}, ${bind('String', `${scope}/`)})`,
    after !== undefined && sql`${id} > ${bind('String', after)}`,
    search !== undefined && sql`positionCaseInsensitiveUTF8(${id}, ${bind('String', search)}) > 0`,
  ]);
}

const ofProjects = (ids: readonly string[], since?: Micros): Sql =>
  and([
    sql`project_id IN ${bind('Array(String)', ids)}`,
    since !== undefined && sql`started_at >= ${atMicros(since)}`,
  ]);

/** Calls and errors since a time, by project. */
export const recentCalls = (ids: readonly string[], since: Micros): Sql =>
  sql`SELECT project_id, count() AS calls, countIf(status = 'error') AS errors,
  toUnixTimestamp64Micro(max(calls.started_at)) AS last
FROM calls FINAL PREWHERE ${ofProjects(ids, since)} GROUP BY project_id`;

/** The newest start by project, without FINAL: a call that was deleted recently may still count. */
export const lastCalls = (ids: readonly string[]): Sql =>
  sql`SELECT project_id, toUnixTimestamp64Micro(max(calls.started_at)) AS last
FROM calls PREWHERE ${ofProjects(ids)} WHERE is_deleted = 0 GROUP BY project_id`;

export const retentions = (ids: readonly string[]): Sql =>
  sql`SELECT project_id, retention_days AS days FROM projects FINAL WHERE ${ofProjects(ids)} AND retention_days > 0`;

/** The prices of all models that the roots of these projects have used. */
export function pricesOfProjects(ids: readonly string[], since: Micros): readonly [Sql, Sql] {
  const used = sql`llm_id GLOBAL IN (SELECT DISTINCT model FROM root_usage PREWHERE ${ofProjects(ids, since)})`;
  return [sql`${projectPrices(ids)} AND ${used}`, sql`${defaultPrices()} AND ${used}`];
}

/** Tokens by project and model, and by the number of price changes before the call. */
export function usageOfProjects(
  ids: readonly string[],
  since: Micros,
  changes: readonly Micros[],
): Sql {
  const segment = sql`arrayCount(change -> change <= toUnixTimestamp64Micro(started_at), ${bind('Array(Int64)', changes)})`;
  return sql`SELECT project_id, model, ${segment} AS segment, sum(uncached) AS uncached, sum(completion) AS completion,
  sum(cache_read) AS cache_read, sum(cache_write) AS cache_write
FROM root_usage FINAL PREWHERE ${ofProjects(ids, since)} GROUP BY project_id, model, segment`;
}
