import { and, atMicros, atMillis, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { Micros, Millis } from '@app/wire';

/** The usage of a project in a range of time. */
export interface ProjectTime {
  readonly projectId: string;
  readonly from: Millis;
  readonly to: Millis;
  /** What is older is past its retention. */
  readonly since: Micros | undefined;
}

/** The counts of a usage, in their order. */
export const USAGE_COUNTS: readonly string[] = [
  'requests',
  'prompt',
  'uncached',
  'completion',
  'cache_read',
  'cache_write',
  'total',
];

const inTime = ({ from, to, since }: ProjectTime): Sql =>
  and([
    sql`started_at >= ${atMillis(from)} AND started_at < ${atMillis(to)}`,
    since !== undefined && sql`started_at >= ${atMicros(since)}`,
  ]);

const ofTime = (time: ProjectTime): Sql =>
  and([sql`project_id = ${bind('String', time.projectId)}`, inTime(time)]);

/** One row per root and model. PREWHERE on the key is safe under FINAL: all versions of a row share it. */
export function rootUsage(
  projectId: string,
  where: Sql | undefined,
  extras: readonly Sql[] = [],
): Sql {
  const columns = join(
    [raw(['started_at', 'model', ...USAGE_COUNTS, 'nth'].join(', ')), ...extras],
    ', ',
  );
  return sql`SELECT ${columns} FROM root_usage FINAL
PREWHERE ${and([sql`project_id = ${bind('String', projectId)}`, where])}`;
}

/**
 * Calls of the SDK that report the request themselves: a span was made inside of such a call, and counting both would bill one
 * request twice. A call whose usage is the sum of its children has made no request itself.
 */
function reportingCalls(time: ProjectTime): Sql {
  const project = sql`project_id = ${bind('String', time.projectId)} AND notEmpty(usage_model)`;
  const links = sql`SELECT parent_call_id FROM agent_spans WHERE ${ofTime(time)} AND model != '' AND parent_call_id != ''`;
  return sql`SELECT id FROM calls FINAL WHERE ${project} AND id GLOBAL IN (${links})
  AND id GLOBAL NOT IN (SELECT parent_id FROM calls WHERE ${project} AND is_deleted = 0 AND parent_id GLOBAL IN (${links}))`;
}

/** One row per request of an agent that no call reports, in the columns of `rootUsage`. */
export function agentUsage(time: ProjectTime, extras: readonly Sql[] = []): Sql {
  const columns = [
    raw(['started_at', 'model', ...USAGE_COUNTS].join(', ')),
    raw('toUInt32(1) AS nth'),
    ...extras,
  ];
  return sql`SELECT ${join(columns, ', ')} FROM agent_spans FINAL PREWHERE ${ofTime(time)}
WHERE model != '' AND parent_call_id GLOBAL NOT IN (${reportingCalls(time)})`;
}

export const agentModels = (time: ProjectTime): Sql =>
  sql`SELECT DISTINCT model FROM agent_spans WHERE ${ofTime(time)} AND model != ''`;

/** All that `costs/report` counts without conditions: the usage of roots and of agents. */
export const projectUsage = (time: ProjectTime): Sql =>
  sql`${rootUsage(time.projectId, inTime(time))} UNION ALL ${agentUsage(time)}`;

/** The models of `projectUsage`, and perhaps some that a replaced version of a call has used. */
export const projectModels = (time: ProjectTime): Sql =>
  sql`SELECT DISTINCT model FROM root_usage PREWHERE ${ofTime(time)} UNION ALL ${agentModels(time)}`;
