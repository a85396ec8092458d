import { raw, sql, type Sql } from '@app/clickhouse';
import { agentModels as modelsOf, agentUsage, type ProjectTime } from '@app/pricing';
import type { Micros } from '@app/wire';
import type { Group, Span } from './report-groups.js';

/** The spans of agents that a report counts. */
export interface AgentUsage {
  readonly projectId: string;
  readonly span: Span;
  /** Spans before it are past their retention. */
  readonly since: Micros | undefined;
}

const timeOf = ({ projectId, span: { from, to }, since }: AgentUsage): ProjectTime => ({
  ...{ projectId, from, to, since },
});

/** One row per request of an agent that no call reports, in the columns of `usageRows`. */
export function agentRows(usage: AgentUsage, groups: readonly Group[]): Sql {
  const keys = groups.flatMap(({ perCall, perSpan }, i) =>
    perCall ? [sql`${perSpan} AS ${raw(`g${i}`)}`] : [],
  );
  return agentUsage(timeOf(usage), keys);
}

export const agentModels = (usage: AgentUsage): Sql => modelsOf(timeOf(usage));
