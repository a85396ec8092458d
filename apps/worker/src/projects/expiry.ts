import { Injectable } from '@nestjs/common';
import { bind, atMicros, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { micros, microsOf, nowMillis, type Micros, type Millis } from '@app/wire';
import { REBUILT_TABLES } from '../repair/rebuilt-tables.js';
import { RewriteLock } from '../repair/rewrite-lock.js';
import { ShadowTables } from '../repair/shadow-tables.js';
import { ReceiptsRemoval } from '../pipeline/receipts.removal.js';

const DAY_MICROS = 86_400_000_000;
/** Calls whose rows are deleted by one statement. */
const CALLS_PER_BATCH = 20_000;

export interface Expired {
  readonly project: string;
  /** The retention of the project. */
  readonly days: number;
  readonly calls: number;
}

interface Retained {
  readonly project_id: string;
  readonly days: number;
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
    private readonly lock: RewriteLock,
    private readonly shadows: ShadowTables,
  ) {}

  /** Resolves to the number of deleted calls. Rejects with RewriteRunningError while a rebuild or an erasure runs. */
  run(now = nowMillis()): Promise<number> {
    return this.lock.run(async (signal) => {
      // A rebuild that was killed may have left tables with expired rows.
      await this.shadows.drop(REBUILT_TABLES);
      let deleted = 0;
      for (const { project_id, days } of await this.store.rows<Retained>(RETAINED)) {
        signal.throwIfAborted();
        deleted += await this.expire(project_id, cutoffOf(now, days));
      }
      await this.receipts.rollUp();
      return deleted;
    });
  }

  /** What `run` would delete: the calls of each project whose retention has ended. */
  async preview(now = nowMillis()): Promise<Expired[]> {
    const found: Expired[] = [];
    for (const { project_id, days } of await this.store.rows<Retained>(RETAINED)) {
      const cutoff = cutoffOf(now, days);
      const [row] = await this.store.rows<{ n: number | string }>(
        sql`SELECT count() AS n FROM (${expired(project_id, cutoff)} UNION DISTINCT ${rowless(project_id, cutoff)})`,
      );
      found.push({ project: project_id, days, calls: Number(row!.n) });
    }
    return found;
  }

  private async expire(projectId: string, cutoff: Micros): Promise<number> {
    const deleted =
      (await this.deleteAll(projectId, batchOf(expired(projectId, cutoff)))) +
      (await this.deleteAll(projectId, batchOf(rowless(projectId, cutoff))));
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
  private async deleteAll(projectId: string, query: Sql): Promise<number> {
    const project = sql`project_id = ${bind('String', projectId)}`;
    for (let deleted = 0; ;) {
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
      await this.removal.remove('root_usage', sql`${project} AND id IN ${ids}`);
      await this.removal.remove('calls', sql`${project} AND id IN ${ids}`);
      deleted += rows.length;
    }
  }
}

const cutoffOf = (now: Millis, days: number): Micros => micros(microsOf(now) - days * DAY_MICROS);

const RETAINED = sql`SELECT project_id, retention_days AS days FROM projects FINAL WHERE retention_days > 0`;

const batchOf = (calls: Sql): Sql => sql`${calls} LIMIT ${bind('UInt64', CALLS_PER_BATCH)}`;

/** Includes deleted calls, which still have facts. For a call with several starts the latest one counts. */
function expired(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  return sql`SELECT id FROM calls WHERE ${project}
  AND id IN (SELECT id FROM calls WHERE ${project} AND started_at < ${before})
GROUP BY id HAVING max(started_at) < ${before}`;
}

/** Calls with facts but no row, because their start never arrived or is a dead letter. Their latest fact counts. */
function rowless(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  const expiredFacts = sql`SELECT call_id AS id FROM call_events WHERE ${project}
  AND call_id IN (SELECT call_id FROM call_events WHERE ${project} AND received_at < ${before})
GROUP BY call_id HAVING max(received_at) < ${before}`;
  return sql`SELECT id FROM (${expiredFacts})
WHERE id NOT IN (SELECT id FROM calls WHERE ${project} AND id IN (${expiredFacts}))`;
}

function orphanedDeadLetters(projectId: string, old: Sql): Sql {
  return sql`SELECT DISTINCT id FROM dead_letters WHERE ${old} AND call_id GLOBAL NOT IN (
  SELECT call_id FROM call_events WHERE project_id = ${bind('String', projectId)}
    AND call_id GLOBAL IN (SELECT call_id FROM dead_letters WHERE ${old})
) LIMIT ${bind('UInt64', CALLS_PER_BATCH)}`;
}
