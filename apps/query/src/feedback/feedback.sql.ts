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

/** The most records about items that a response has beside those items. */
const OF_REFS_MAX = 5000;

/** The feedback about these refs, oldest first. */
export function feedbackOfRefs(
  projectId: string,
  refs: readonly string[],
  fields: readonly ResponseField[],
): Sql {
  const aboutRefs = sql`weave_ref IN ${bind('Array(String)', refs)}`;
  return sql`SELECT ${columnsOf(fields)} FROM feedback FINAL
WHERE ${and([ofProject(projectId), aboutRefs])} ORDER BY created_at, id LIMIT ${bind('UInt64', OF_REFS_MAX)}`;
}

export const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;

function columnsOf(fields: readonly ResponseField[]): Sql {
  const columns = new Set(['id', ...fields.flatMap((field) => field.columns)]);
  return join([...columns].map(raw), ', ');
}
