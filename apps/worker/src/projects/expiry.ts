import { Injectable } from '@nestjs/common';
import { bind, atMicros, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { micros, microsOf, nowMillis, type Micros } from '@app/wire';
import { ReceiptsRemoval } from '../receipts.removal.js';

const DAY_MICROS = 86_400_000_000;
/** Rows of so many calls are taken away by one statement. */
const CALLS_AT_ONCE = 20_000;

interface Retained {
  readonly project_id: string;
  readonly days: number;
}

/**
 * Takes away the calls that no read shows any more, with their facts. Never by a TTL on rows: that drops the newest version
 * of a row first, and lets an older one come back.
 */
@Injectable()
export class Expiry {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly receipts: ReceiptsRemoval,
  ) {}

  /** Resolves to the number of calls that are gone now. */
  async run(now = nowMillis()): Promise<number> {
    let gone = 0;
    for (const { project_id, days } of await this.store.rows<Retained>(RETAINED)) {
      gone += await this.expire(project_id, micros(microsOf(now) - days * DAY_MICROS));
    }
    await this.receipts.rollUp();
    return gone;
  }

  private async expire(projectId: string, cutoff: Micros): Promise<number> {
    const gone =
      (await this.takeAll(projectId, expired(projectId, cutoff))) +
      (await this.takeAll(projectId, rowless(projectId, cutoff)));
    await this.takeLetters(projectId, cutoff);
    return gone;
  }

  /** Those of calls that are still there stay with them: they say why such a call does not know all its facts. */
  private async takeLetters(projectId: string, cutoff: Micros): Promise<void> {
    const old = sql`project_id = ${bind('String', projectId)} AND received_at < ${atMicros(cutoff)}`;
    for (;;) {
      const rows = await this.store.rows<{ id: string }>(lonelyLetters(projectId, old));
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => id);
      const letters = sql`${old} AND id IN ${bind('Array(String)', ids)}`;
      await this.receipts.forget(
        projectId,
        sql`SELECT DISTINCT id FROM dead_letters WHERE ${letters}`,
      );
      await this.removal.remove('dead_letters', letters);
    }
  }

  /** Asks for some, takes them away, and asks again until there are none. */
  private async takeAll(projectId: string, question: Sql): Promise<number> {
    const project = sql`project_id = ${bind('String', projectId)}`;
    for (let gone = 0; ;) {
      const rows = await this.store.rows<{ id: string }>(question);
      if (rows.length === 0) return gone;
      const ids = bind(
        'Array(String)',
        rows.map(({ id }) => id),
      );
      const facts = sql`${project} AND call_id IN ${ids}`;
      // The ledger stops looking for them before they are gone. Then facts first: a sweep in between finds nothing to
      // fold, and the rows that are left are found again.
      await this.receipts.forget(
        projectId,
        sql`SELECT DISTINCT lower(hex(event_id)) AS id FROM call_events WHERE ${facts}`,
      );
      await this.removal.remove('call_events', facts);
      await this.removal.remove('root_usage', sql`${project} AND id IN ${ids}`);
      await this.removal.remove('calls', sql`${project} AND id IN ${ids}`);
      gone += rows.length;
    }
  }
}

const RETAINED = sql`SELECT project_id, retention_days AS days FROM projects FINAL WHERE retention_days > 0`;

/** Also of deleted calls, whose facts are still there. One whose start was corrected counts from the latest. */
function expired(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  return sql`SELECT id FROM calls WHERE ${project}
  AND id IN (SELECT id FROM calls WHERE ${project} AND started_at < ${before})
GROUP BY id HAVING max(started_at) < ${before} LIMIT ${bind('UInt64', CALLS_AT_ONCE)}`;
}

/** Calls that have facts and no row, since their start never came or can never be stored, count from the last that was heard of them. */
function rowless(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  const heard = sql`SELECT call_id AS id FROM call_events WHERE ${project}
  AND call_id IN (SELECT call_id FROM call_events WHERE ${project} AND received_at < ${before})
GROUP BY call_id HAVING max(received_at) < ${before}`;
  return sql`SELECT id FROM (${heard})
WHERE id NOT IN (SELECT id FROM calls WHERE ${project} AND id IN (${heard}))
LIMIT ${bind('UInt64', CALLS_AT_ONCE)}`;
}

function lonelyLetters(projectId: string, old: Sql): Sql {
  return sql`SELECT DISTINCT id FROM dead_letters WHERE ${old} AND call_id GLOBAL NOT IN (
  SELECT call_id FROM call_events WHERE project_id = ${bind('String', projectId)}
    AND call_id GLOBAL IN (SELECT call_id FROM dead_letters WHERE ${old})
) LIMIT ${bind('UInt64', CALLS_AT_ONCE)}`;
}
