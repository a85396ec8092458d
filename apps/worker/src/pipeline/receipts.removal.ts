import { Injectable } from '@nestjs/common';
import {
  atMillis,
  bind,
  raw,
  RECEIPT_TOTALS,
  Removal,
  sql,
  Store,
  type Sql,
} from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';

interface Total {
  readonly project_id: string;
  readonly n: number | string;
}

const DAY_MS = 86_400_000;
/** How long the ledger can name missing facts. Older receipts are only counted. */
const RETAINED_DAYS = 7;
/** A worker that was paused may write a receipt this many days after its facts were removed. */
const LATE_RECEIPT_DAYS = 2;

/** Tables of facts, and the expression for the fact id that receipts use. */
const FACTS = {
  call_events: 'event_id',
  dead_letters: 'toFixedString(unhex(id), 16)',
} as const;
export type FactTable = keyof typeof FACTS;

/** Tells the ledger which facts were erased or have expired, and rolls up old receipts into totals. */
@Injectable()
export class ReceiptsRemoval {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly progress: QueueProgress,
  ) {}

  /** Records that these facts will be deleted, so that the ledger does not report them as missing. Older ones have no receipt. */
  async recordRemoved(projectId: string, table: FactTable, where: Sql): Promise<void> {
    const since = atMillis(millis((await this.retainedSince(nowMillis())) - DAY_MS));
    const hasReceipt = table === 'call_events' ? sql`stored_at >= ${since}` : sql`true`;
    await this.store.run(sql`INSERT INTO removed_facts (project_id, fact, removed_at)
SELECT DISTINCT ${bind('String', projectId)}, ${raw(FACTS[table])}, now() FROM ${raw(table)} WHERE ${where} AND ${hasReceipt}`);
  }

  /** Resolves to the number of days whose receipts were rolled up. May be interrupted and repeated. */
  async rollUp(at?: Millis): Promise<number> {
    const now = at ?? (await this.storeTime());
    const days = await this.daysOf('receipts', sql`stored_at`, await this.firstRetainedDay(now));
    for (const day of days) {
      const totals = await this.store.rows<Total>(totalsOf(day));
      await this.store.insert(
        RECEIPT_TOTALS,
        totals.map(({ project_id, n }) => ({ project_id, day, facts: Number(n) })),
      );
      await this.removal.dropPartition('receipts', String(day));
    }
    await this.dropRemovedFacts(now);
    return days.length;
  }

  private async dropRemovedFacts(now: Millis): Promise<void> {
    const before = await this.firstRetainedDay(millis(now - LATE_RECEIPT_DAYS * DAY_MS));
    for (const day of await this.daysOf('removed_facts', sql`removed_at`, before))
      await this.removal.dropPartition('removed_facts', String(day));
  }

  /** The days of a table before `before`, in order. */
  private async daysOf(table: string, time: Sql, before: number): Promise<number[]> {
    const rows = await this.store.rows<{ day: number }>(
      sql`SELECT DISTINCT toYYYYMMDD(${time}) AS day FROM ${raw(table)} WHERE day < ${bind('UInt32', before)} ORDER BY day`,
    );
    return rows.map(({ day }) => day);
  }

  /** Uses the clock of ClickHouse: a worker with a fast clock would roll up today's receipts. */
  private async storeTime(): Promise<Millis> {
    const [row] = await this.store.rows<{ ms: number | string }>(
      sql`SELECT toUnixTimestamp64Milli(now64(3)) AS ms`,
    );
    return millis(Number(row!.ms));
  }

  private async firstRetainedDay(now: Millis): Promise<number> {
    return dayOf(await this.retainedSince(now));
  }

  /** A pending chunk may get another receipt, which must be able to replace the first one. */
  private async retainedSince(now: Millis): Promise<Millis> {
    const { oldestMs } = await this.progress.read('calls', now);
    return millis(now - Math.max(RETAINED_DAYS * DAY_MS, oldestMs));
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
