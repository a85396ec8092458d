import type { Micros } from '@app/wire';
import { expiredCalls, expiredWithoutRow } from './expired-calls.js';
import { atMicros, bind, sql, type Sql } from './sql.js';

const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;

/** Feedback on the calls of a subquery or an array. */
export const feedbackOnCalls = (projectId: string, calls: Sql): Sql =>
  sql`SELECT DISTINCT id FROM feedback WHERE ${ofProject(projectId)} AND call_id != '' AND call_id GLOBAL IN ${calls}`;

/** Feedback that was given, or replaced, before `cutoff`: its newest version counts. */
export const feedbackBefore = (projectId: string, cutoff: Micros): Sql =>
  sql`SELECT id FROM feedback WHERE ${ofProject(projectId)} GROUP BY id HAVING max(created_at) < ${atMicros(cutoff)}`;

/** Feedback from before `cutoff` on calls that are gone. */
export function orphanedFeedback(projectId: string, cutoff: Micros): Sql {
  const project = ofProject(projectId);
  const old = sql`${project} AND call_id != '' AND created_at < ${atMicros(cutoff)}`;
  return sql`SELECT DISTINCT id FROM feedback WHERE ${old}
  AND id GLOBAL IN (${feedbackBefore(projectId, cutoff)})
  AND call_id GLOBAL NOT IN (
    SELECT call_id FROM call_events WHERE ${project} AND call_id GLOBAL IN (SELECT call_id FROM feedback WHERE ${old})
  )`;
}

/** The ids of all feedback that expires with calls before one time, or is itself from before another; undefined for none. */
export function expiredFeedback(
  projectId: string,
  { calls, feedback }: Readonly<Record<'calls' | 'feedback', Micros | undefined>>,
): Sql | undefined {
  const queries: Sql[] = [];
  if (calls !== undefined) {
    const gone = sql`(${expiredCalls(projectId, calls)} UNION DISTINCT ${expiredWithoutRow(projectId, calls)})`;
    queries.push(feedbackOnCalls(projectId, gone), orphanedFeedback(projectId, calls));
  }
  if (feedback !== undefined) queries.push(feedbackBefore(projectId, feedback));
  if (queries.length === 0) return undefined;
  return queries.reduce((some, query) => sql`${some} UNION ALL ${query}`);
}
