import { Injectable } from '@nestjs/common';
import {
  bind,
  feedbackBefore,
  feedbackOnCalls,
  orphanedFeedback,
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
    const removed = await this.removeAll(projectId, feedbackOnCalls(projectId, sql`${calls}`));
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
    return this.removeAll(projectId, orphanedFeedback(projectId, cutoff));
  }

  /** Feedback that was given, or replaced, before `cutoff`. */
  removeBefore(projectId: string, cutoff: Micros): Promise<number> {
    return this.removeAll(projectId, feedbackBefore(projectId, cutoff));
  }

  /** The projects with a retention of feedback. */
  retained(): Promise<{ project: string; days: number }[]> {
    return this.store.rows(
      sql`SELECT project_id AS project, feedback_retention_days AS days FROM projects FINAL
WHERE feedback_retention_days > 0 ORDER BY project`,
    );
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
