import { Injectable } from '@nestjs/common';
import { bind, RECEIPT_TOTALS, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { millis, type Millis } from '@app/wire';

interface Total {
  readonly project_id: string;
  readonly n: number | string;
}

const DAY_MS = 86_400_000;
/** For so long the ledger can say which fact is missing; afterwards it knows how many there were. */
const KEPT_DAYS = 7;
/** Keeps one statement well below what a server takes. */
const FACTS_AT_ONCE = 10_000;

/** What the ledger forgets: facts that were taken away on purpose, and receipts that are old. */
@Injectable()
export class ReceiptsRemoval {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly progress: QueueProgress,
  ) {}

  /** The facts that the question finds, as `id` in hex: the ledger goes on counting them, but no longer looks for them. */
  async forget(projectId: string, question: Sql): Promise<void> {
    const facts = await this.store.rows<{ id: string }>(question);
    const project = sql`project_id = ${bind('String', projectId)}`;
    for (let at = 0; at < facts.length; at += FACTS_AT_ONCE) {
      const some = facts.slice(at, at + FACTS_AT_ONCE).map(({ id }) => id);
      const isGone = sql`lower(hex(fact)) IN ${bind('Array(String)', some)}`;
      const where = sql`${project} AND arrayExists(fact -> ${isGone}, fact_ids)`;
      // Most are older than what receipts still know, and a change that changes nothing copies every part.
      const found = await this.store.rows(sql`SELECT 1 FROM receipts WHERE ${where} LIMIT 1`);
      if (found.length === 0) continue;
      const others = sql`fact_ids = arrayFilter(fact -> NOT (${isGone}), fact_ids)`;
      await this.removal.change('receipts', others, where);
    }
  }

  /** Resolves to the number of days whose receipts became totals. May be cut off and repeated. */
  async rollUp(at?: Millis): Promise<number> {
    const now = at ?? (await this.storeTime());
    const days = await this.store.rows<{ day: number }>(
      sql`SELECT DISTINCT toYYYYMMDD(stored_at) AS day FROM receipts WHERE day < ${bind('UInt32', await this.firstKept(now))} ORDER BY day`,
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

  /** One clock for all: a worker whose own is ahead would take today's receipts for old ones. */
  private async storeTime(): Promise<Millis> {
    const [row] = await this.store.rows<{ ms: number | string }>(
      sql`SELECT toUnixTimestamp64Milli(now64(3)) AS ms`,
    );
    return millis(Number(row!.ms));
  }

  /** A chunk that is not settled yet may be signed for once more, so its receipts have to be there to be replaced. */
  private async firstKept(now: Millis): Promise<number> {
    const { oldestMs } = await this.progress.read('calls', now);
    return dayOf(millis(now - Math.max(KEPT_DAYS * DAY_MS, oldestMs)));
  }
}

const dayOf = (time: Millis): number =>
  Number(new Date(time).toISOString().slice(0, 10).replaceAll('-', ''));

/** Of a chunk that was signed for several times the last one counts, here or on a later day. */
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
