import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { RecordsQuery } from '../records-query.js';
import type { ResponseField } from './feedback-record.js';

/** Matching feedback, with the columns that the fields need. */
export function queryFeedback(
  projectId: string,
  { where, page }: RecordsQuery,
  fields: readonly ResponseField[],
): Sql {
  return sql`SELECT ${columnsOf(fields)} FROM feedback FINAL
WHERE ${and([ofProject(projectId), where])}${page}`;
}

export function countFeedback(projectId: string, { where }: RecordsQuery): Sql {
  return sql`SELECT count() AS count FROM feedback FINAL WHERE ${and([ofProject(projectId), where])}`;
}

/** The feedback of these calls, oldest first. */
export function feedbackOfCalls(
  projectId: string,
  callIds: readonly string[],
  fields: readonly ResponseField[],
): Sql {
  const ofCalls = sql`call_id IN ${bind('Array(String)', callIds)}`;
  return sql`SELECT call_id, ${columnsOf(fields)} FROM feedback FINAL
WHERE ${and([ofProject(projectId), ofCalls])} ORDER BY created_at, id`;
}

export const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;

function columnsOf(fields: readonly ResponseField[]): Sql {
  const columns = new Set(['id', ...fields.flatMap((field) => field.columns)]);
  return join([...columns].map(raw), ', ');
}
