import { and, atMicros, atMillis, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { Micros } from '@app/wire';
import type { Group, Span } from './report-groups.js';
import { USAGE_COUNTS } from './usage-rows.sql.js';

/** The spans of agents that a report counts. */
export interface AgentUsage {
  readonly projectId: string;
  readonly span: Span;
  /** Spans before it are past their retention. */
  readonly since: Micros | undefined;
}

const ofTime = ({ projectId, span: { from, to }, since }: AgentUsage): Sql =>
  and([
    sql`project_id = ${bind('String', projectId)}`,
    sql`started_at >= ${atMillis(from)} AND started_at < ${atMillis(to)}`,
    since !== undefined && sql`started_at >= ${atMicros(since)}`,
  ]);

/**
 * Calls of the SDK that report the request themselves: a span was made inside of such a call, and counting both would bill one
 * request twice. A call whose usage is the sum of its children has made no request itself.
 */
function reportingCalls(usage: AgentUsage): Sql {
  const project = sql`project_id = ${bind('String', usage.projectId)} AND notEmpty(usage_model)`;
  const links = sql`SELECT parent_call_id FROM agent_spans WHERE ${ofTime(usage)} AND model != '' AND parent_call_id != ''`;
  return sql`SELECT id FROM calls FINAL WHERE ${project} AND id GLOBAL IN (${links})
  AND id GLOBAL NOT IN (SELECT parent_id FROM calls WHERE ${project} AND is_deleted = 0 AND parent_id GLOBAL IN (${links}))`;
}

/** One row per request of an agent that no call reports, in the columns of `usageRows`. */
export function agentRows(usage: AgentUsage, groups: readonly Group[]): Sql {
  const keys = groups.flatMap(({ perCall, perSpan }, i) =>
    perCall ? [sql`${perSpan} AS ${raw(`g${i}`)}`] : [],
  );
  const columns = [
    raw(['started_at', 'model', ...USAGE_COUNTS].join(', ')),
    raw('toUInt32(1) AS nth'),
    ...keys,
  ];
  return sql`SELECT ${join(columns, ', ')} FROM agent_spans FINAL PREWHERE ${ofTime(usage)}
WHERE model != '' AND parent_call_id GLOBAL NOT IN (${reportingCalls(usage)})`;
}

export const agentModels = (usage: AgentUsage): Sql =>
  sql`SELECT DISTINCT model FROM agent_spans WHERE ${ofTime(usage)} AND model != ''`;
