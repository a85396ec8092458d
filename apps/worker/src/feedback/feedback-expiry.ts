import { Injectable } from '@nestjs/common';
import {
  atMicros,
  bind,
  expiredCalls,
  expiredWithoutRow,
  raw,
  Removal,
  sql,
  Store,
  type Bound,
  type Sql,
} from '@app/clickhouse';
import type { Micros } from '@app/wire';

/** Feedback that is deleted by one statement. */
const FEEDBACK_PER_BATCH = 20_000;

const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;

/** Deletes feedback with the calls that it is about, and feedback past a retention of its own. */
@Injectable()
export class FeedbackExpiry {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
  ) {}

  /** Feedback on these calls, and their places in annotation queues. Resolves to the number of feedback. */
  async removeOfCalls(projectId: string, calls: Bound): Promise<number> {
    const removed = await this.removeAll(projectId, onCalls(projectId, sql`${calls}`));
    const project = ofProject(projectId);
    const items = sql`${project} AND call_id IN ${calls}`;
    const [found] = await this.store.rows(
      sql`SELECT 1 FROM annotation_items WHERE ${items} LIMIT 1`,
    );
    if (found === undefined) return removed;
    const added = sql`${project} AND type = 'AnnotationItemAdded' AND JSONExtractString(data, 'callId') IN ${calls}`;
    await this.removal.remove('record_events', added);
    await this.removal.remove('annotation_items', items);
    return removed;
  }

  /** Feedback from before `cutoff` on calls that are gone: those that an earlier version expired. */
  removeOrphans(projectId: string, cutoff: Micros): Promise<number> {
    return this.removeAll(projectId, orphans(projectId, cutoff));
  }

  /** Feedback that was given, or replaced, before `cutoff`. */
  removeBefore(projectId: string, cutoff: Micros): Promise<number> {
    return this.removeAll(projectId, givenBefore(projectId, cutoff));
  }

  /** The projects with a retention of feedback. */
  retained(): Promise<{ project: string; days: number }[]> {
    return this.store.rows(
      sql`SELECT project_id AS project, feedback_retention_days AS days FROM projects FINAL
WHERE feedback_retention_days > 0 ORDER BY project`,
    );
  }

  /** How much feedback the three would remove, with these times before which calls and feedback have expired. */
  async count(
    projectId: string,
    { calls, feedback }: Readonly<Record<'calls' | 'feedback', Micros | undefined>>,
  ): Promise<number> {
    const queries = [
      ...(calls === undefined
        ? []
        : [onCalls(projectId, allExpired(projectId, calls)), orphans(projectId, calls)]),
      ...(feedback === undefined ? [] : [givenBefore(projectId, feedback)]),
    ];
    if (queries.length === 0) return 0;
    const all = queries.reduce((some, query) => sql`${some} UNION ALL ${query}`);
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT uniqExact(id) AS n FROM (${all})`,
    );
    return Number(row!.n);
  }

  /** Facts before rows, so that a rebuild in between restores none, and the next run finds rows that are left. */
  private async removeAll(projectId: string, query: Sql): Promise<number> {
    const project = ofProject(projectId);
    for (let removed = 0; ;) {
      const rows = await this.store.rows<{ id: string }>(
        sql`${query} LIMIT ${bind('UInt64', FEEDBACK_PER_BATCH)}`,
      );
      if (rows.length === 0) return removed;
      const ids = bind(
        'Array(String)',
        rows.map(({ id }) => id),
      );
      const facts = sql`${project} AND ${IS_FEEDBACK} AND JSONExtractString(data, 'id') IN ${ids}`;
      await this.removal.remove('record_events', facts);
      await this.removal.remove('feedback', sql`${project} AND id IN ${ids}`);
      removed += rows.length;
    }
  }
}

const IS_FEEDBACK = raw(`type IN ('FeedbackGiven', 'FeedbackPurged')`);

const allExpired = (projectId: string, cutoff: Micros): Sql =>
  sql`(${expiredCalls(projectId, cutoff)} UNION DISTINCT ${expiredWithoutRow(projectId, cutoff)})`;

const onCalls = (projectId: string, calls: Sql): Sql =>
  sql`SELECT DISTINCT id FROM feedback WHERE ${ofProject(projectId)} AND call_id != '' AND call_id GLOBAL IN ${calls}`;

/** The newest version of feedback counts: it may have been replaced. */
const givenBefore = (projectId: string, cutoff: Micros): Sql =>
  sql`SELECT id FROM feedback WHERE ${ofProject(projectId)} GROUP BY id HAVING max(created_at) < ${atMicros(cutoff)}`;

function orphans(projectId: string, cutoff: Micros): Sql {
  const project = ofProject(projectId);
  const old = sql`${project} AND call_id != '' AND created_at < ${atMicros(cutoff)}`;
  return sql`SELECT DISTINCT id FROM feedback WHERE ${old}
  AND id GLOBAL IN (${givenBefore(projectId, cutoff)})
  AND call_id GLOBAL NOT IN (
    SELECT call_id FROM call_events WHERE ${project} AND call_id GLOBAL IN (SELECT call_id FROM feedback WHERE ${old})
  )`;
}
