import type { ProjectRow } from '@app/clickhouse';
import type { Ordered, RetentionSet } from '@app/events';

export function projectRow({ projectId, data, seq }: Ordered<RetentionSet>): ProjectRow {
  return {
    project_id: projectId,
    retention_days: data.days ?? 0,
    feedback_retention_days: data.feedbackDays ?? 0,
    version: seq,
  };
}
