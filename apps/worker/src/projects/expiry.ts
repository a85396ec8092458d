import { Injectable } from '@nestjs/common';
import {
  atMicros,
  bind,
  cutoffOf,
  expiredCalls,
  expiredWithoutRow,
  expiryPreview,
  Removal,
  retainedProjects,
  sql,
  Store,
  type ExpiredOfProject,
  type Sql,
} from '@app/clickhouse';
import { nowMillis, type Micros } from '@app/wire';
import { REBUILT_TABLES } from '../repair/rebuilt-tables.js';
import { RewriteLock } from '../repair/rewrite-lock.js';
import { ShadowTables } from '../repair/shadow-tables.js';
import { FeedbackExpiry } from '../feedback/feedback-expiry.js';
import { ReceiptsRemoval } from '../pipeline/receipts.removal.js';

/** Calls whose rows are deleted by one statement. */
const CALLS_PER_BATCH = 20_000;

export interface ExpiredCounts {
  readonly calls: number;
  readonly feedback: number;
}

/**
 * Deletes the calls whose retention has ended, with their facts. A TTL on rows would not do: it can drop the newest version
 * of a row before an older one, which then becomes visible again.
 */
@Injectable()
export class Expiry {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly receipts: ReceiptsRemoval,
    private readonly feedback: FeedbackExpiry,
    private readonly lock: RewriteLock,
    private readonly shadows: ShadowTables,
  ) {}

  /** Resolves to the numbers of deleted calls and feedback. Rejects with RewriteRunningError while a rebuild or an erasure runs. */
  run(now = nowMillis()): Promise<ExpiredCounts> {
    return this.lock.run(async (signal) => {
      // A rebuild that was killed may have left tables with expired rows.
      await this.shadows.drop(REBUILT_TABLES);
      const deleted = { calls: 0, feedback: 0 };
      for (const { project, days } of await retainedProjects(this.store)) {
        signal.throwIfAborted();
        add(deleted, await this.expire(project, cutoffOf(now, days)));
      }
      for (const { project, days } of await this.feedback.retained()) {
        signal.throwIfAborted();
        deleted.feedback += await this.feedback.removeBefore(project, cutoffOf(now, days));
      }
      await this.receipts.rollUp();
      return deleted;
    });
  }

  /** What `run` would delete: the calls and the feedback of each project whose retention has ended. */
  preview(now = nowMillis()): Promise<ExpiredOfProject[]> {
    return expiryPreview(this.store, now);
  }

  private async expire(projectId: string, cutoff: Micros): Promise<ExpiredCounts> {
    const deleted = { calls: 0, feedback: 0 };
    for (const calls of [expiredCalls(projectId, cutoff), expiredWithoutRow(projectId, cutoff)])
      add(deleted, await this.deleteAll(projectId, batchOf(calls)));
    deleted.feedback += await this.feedback.removeOrphans(projectId, cutoff);
    await this.deleteDeadLetters(projectId, cutoff);
    await this.deleteSpans(projectId, cutoff);
    return deleted;
  }

  /** Facts before rows, so that a rebuild in between restores none. */
  private async deleteSpans(projectId: string, cutoff: Micros): Promise<void> {
    const project = sql`project_id = ${bind('String', projectId)}`;
    const rows = sql`${project} AND started_at < ${atMicros(cutoff)}`;
    const [found] = await this.store.rows(sql`SELECT 1 FROM agent_spans WHERE ${rows} LIMIT 1`);
    if (found === undefined) return;
    const facts = sql`${project} AND type = 'SpanRecorded' AND JSONExtractInt(data, 'startedAt') < ${bind('Int64', cutoff)}`;
    await this.removal.remove('record_events', facts);
    await this.removal.remove('agent_spans', rows);
  }

  /** Dead letters of calls that still exist stay: they explain why such a call lacks facts. */
  private async deleteDeadLetters(projectId: string, cutoff: Micros): Promise<void> {
    const old = sql`project_id = ${bind('String', projectId)} AND received_at < ${atMicros(cutoff)}`;
    for (;;) {
      const rows = await this.store.rows<{ id: string }>(orphanedDeadLetters(projectId, old));
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => id);
      const deadLetters = sql`${old} AND id IN ${bind('Array(String)', ids)}`;
      await this.receipts.recordRemoved(projectId, 'dead_letters', deadLetters);
      await this.removal.remove('dead_letters', deadLetters);
    }
  }

  /** Selects a batch of calls and deletes it, until the query finds none. */
  private async deleteAll(projectId: string, query: Sql): Promise<ExpiredCounts> {
    const project = sql`project_id = ${bind('String', projectId)}`;
    const deleted = { calls: 0, feedback: 0 };
    for (;;) {
      const rows = await this.store.rows<{ id: string }>(query);
      if (rows.length === 0) return deleted;
      const ids = bind(
        'Array(String)',
        rows.map(({ id }) => id),
      );
      const facts = sql`${project} AND call_id IN ${ids}`;
      // The ledger first. Then facts before rows: a repair in between finds nothing to fold, and the next expiry finds
      // rows that are left.
      await this.receipts.recordRemoved(projectId, 'call_events', facts);
      await this.removal.remove('call_events', facts);
      deleted.feedback += await this.feedback.removeOfCalls(projectId, ids);
      await this.removal.remove('root_usage', sql`${project} AND id IN ${ids}`);
      await this.removal.remove('calls', sql`${project} AND id IN ${ids}`);
      deleted.calls += rows.length;
    }
  }
}

function add(sum: { calls: number; feedback: number }, more: ExpiredCounts): void {
  sum.calls += more.calls;
  sum.feedback += more.feedback;
}

const batchOf = (calls: Sql): Sql => sql`${calls} LIMIT ${bind('UInt64', CALLS_PER_BATCH)}`;

function orphanedDeadLetters(projectId: string, old: Sql): Sql {
  return sql`SELECT DISTINCT id FROM dead_letters WHERE ${old} AND call_id GLOBAL NOT IN (
  SELECT call_id FROM call_events WHERE project_id = ${bind('String', projectId)}
    AND call_id GLOBAL IN (SELECT call_id FROM dead_letters WHERE ${old})
) LIMIT ${bind('UInt64', CALLS_PER_BATCH)}`;
}
