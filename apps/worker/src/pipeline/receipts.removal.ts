import { Injectable } from '@nestjs/common';
import { bind, RECEIPT_TOTALS, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { millis, type Millis } from '@app/wire';

interface Total {
  readonly project_id: string;
  readonly n: number | string;
}

const DAY_MS = 86_400_000;
/** How long the ledger can name missing facts. Older receipts are only counted. */
const RETAINED_DAYS = 7;
/** Keeps one statement well below the size limit of ClickHouse. */
const FACTS_PER_STATEMENT = 10_000;

/** Removes erased and expired facts from receipts, and rolls up old receipts into totals. */
@Injectable()
export class ReceiptsRemoval {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly progress: QueueProgress,
  ) {}

  /** Removes the facts that the query selects, as `id` in hex, from their receipts. The counts stay. */
  async forget(projectId: string, query: Sql): Promise<void> {
    const facts = await this.store.rows<{ id: string }>(query);
    const project = sql`project_id = ${bind('String', projectId)}`;
    for (let at = 0; at < facts.length; at += FACTS_PER_STATEMENT) {
      const ids = facts.slice(at, at + FACTS_PER_STATEMENT).map(({ id }) => id);
      const isRemoved = sql`lower(hex(fact)) IN ${bind('Array(String)', ids)}`;
      const where = sql`${project} AND arrayExists(fact -> ${isRemoved}, fact_ids)`;
      // Most facts are older than the receipts, and a mutation without effect would still copy every part.
      const found = await this.store.rows(sql`SELECT 1 FROM receipts WHERE ${where} LIMIT 1`);
      if (found.length === 0) continue;
      const others = sql`fact_ids = arrayFilter(fact -> NOT (${isRemoved}), fact_ids)`;
      await this.removal.change('receipts', others, where);
    }
  }

  /** Resolves to the number of days whose receipts were rolled up. May be interrupted and repeated. */
  async rollUp(at?: Millis): Promise<number> {
    const now = at ?? (await this.storeTime());
    const days = await this.store.rows<{ day: number }>(
      sql`SELECT DISTINCT toYYYYMMDD(stored_at) AS day FROM receipts WHERE day < ${bind('UInt32', await this.firstRetainedDay(now))} ORDER BY day`,
    );
    for (const { day } of days) {
      const totals = await this.store.rows<Total>(totalsOf(day));
      await this.store.insert(
        RECEIPT_TOTALS,
        totals.map(({ project_id, n }) => ({ project_id, day, facts: Number(n) })),
      );
      await this.removal.dropPartition('receipts', String(day));
    }
    return days.length;
  }

  /** Uses the clock of ClickHouse: a worker with a fast clock would roll up today's receipts. */
  private async storeTime(): Promise<Millis> {
    const [row] = await this.store.rows<{ ms: number | string }>(
      sql`SELECT toUnixTimestamp64Milli(now64(3)) AS ms`,
    );
    return millis(Number(row!.ms));
  }

  /** A pending chunk may get another receipt, which must be able to replace the first one. */
  private async firstRetainedDay(now: Millis): Promise<number> {
    const { oldestMs } = await this.progress.read('calls', now);
    return dayOf(millis(now - Math.max(RETAINED_DAYS * DAY_MS, oldestMs)));
  }
}

const dayOf = (time: Millis): number =>
  Number(new Date(time).toISOString().slice(0, 10).replaceAll('-', ''));

/** Of several receipts of one chunk the last one counts, even if it is of a later day. */
function totalsOf(day: number): Sql {
  const ofDay = sql`toYYYYMMDD(stored_at) = ${bind('UInt32', day)}`;
  const later = sql`toYYYYMMDD(stored_at) > ${bind('UInt32', day)}`;
  return sql`SELECT project_id, sum(facts) AS n
FROM (
  SELECT project_id, chunk_id, argMax(facts, stored_at) AS facts FROM receipts WHERE ${ofDay} GROUP BY project_id, chunk_id
)
WHERE (project_id, chunk_id) NOT IN (
  SELECT project_id, chunk_id FROM receipts
  WHERE ${later} AND (project_id, chunk_id) GLOBAL IN (SELECT project_id, chunk_id FROM receipts WHERE ${ofDay})
)
GROUP BY project_id`;
}
