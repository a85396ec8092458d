import { Injectable } from '@nestjs/common';
import { atMillis, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { Ledger, RestoredClocks, StalePrices } from '@app/queue';
import { micros, millis, nowMillis, type Millis } from '@app/wire';
import { CallRefolder } from '../repair/call-refolder.js';
import { movedFacts, receiptSums } from '../repair/ledger.sql.js';
import { RecordsRebuild } from '../repair/records-rebuild.js';

/** Inserts that were in progress when the backup began may carry an earlier time. */
const MARGIN_MS = 120_000;
/** The clocks of projects are kept for as long, because clocks of servers differ. */
const CLOCK_MS = 30 * 86_400_000;

/** Brings a restored Redis and a restored ClickHouse, which are copies of different times, into agreement. */
@Injectable()
export class RestoredState {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly ledger: Ledger,
    private readonly clocks: RestoredClocks,
    private readonly refolder: CallRefolder,
    private readonly records: RecordsRebuild,
    private readonly prices: StalePrices,
  ) {}

  /**
   * Removes receipts of flushes that ended after the backup began: some of their facts may be missing. Those of pending chunks are
   * written again. Call it before pending chunks are stored.
   */
  removeLateReceipts(beganAt: Millis): Promise<void> {
    return this.removal.remove('receipts', sql`stored_at > ${atMillis(beganAt)}`);
  }

  /** Call it when nothing is pending: folds and projects the facts that were stored while the backup ran. */
  async projectLateFacts(
    beganAt: Millis,
    progress: (done: number, total: number) => void,
  ): Promise<void> {
    const since = millis(beganAt - MARGIN_MS);
    const refolded = this.refolder.refoldRange({ storedFrom: since });
    for await (const { done, total } of refolded) progress(done, total);
    await this.records.project({ receivedFrom: since });
    const priced = await this.store.rows<{ project_id: string }>(
      sql`SELECT DISTINCT project_id FROM record_events
WHERE type IN ('PriceSet', 'PricePurged') AND received_at >= ${atMillis(since)}`,
    );
    await this.prices.mark(priced.map(({ project_id }) => project_id));
  }

  /** Call it last: the counts of the ledger become those of the receipts, and no number is given out twice. */
  async count(): Promise<void> {
    const [receipts, moved] = [await this.sums(receiptSums({})), await this.sums(movedFacts({}))];
    const counts = [...receipts].map(
      ([project, facts]) => [project, Math.max(0, facts - (moved.get(project) ?? 0))] as const,
    );
    await this.ledger.replace(new Map(counts));
    const recent = nowMillis() - CLOCK_MS;
    const seqs = await this.sums(
      sql`SELECT project_id, max(seq) AS n FROM record_events WHERE received_at >= ${atMillis(millis(recent))} GROUP BY project_id`,
    );
    const last = await this.sums(
      sql`SELECT '' AS project_id, toUnixTimestamp64Micro(max(received_at)) AS n FROM call_events`,
    );
    await this.clocks.set(seqs, micros(last.get('') ?? 0));
  }

  private async sums(query: Sql): Promise<Map<string, number>> {
    type Row = { project_id: string; n: number | string };
    const rows = await this.store.rows<Row>(query);
    return new Map(rows.map(({ project_id, n }) => [project_id, Number(n)]));
  }
}
