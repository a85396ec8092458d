import { Injectable } from '@nestjs/common';
import { bind, raw, Removal, sql, Store } from '@app/clickhouse';
import { ReceiptsRemoval } from '../pipeline/receipts.removal.js';
import { deletionsOfCalls, type Deletion } from './erasure-target.js';

/** Tables of facts, and the expression for the fact id that receipts use. */
const FACT_IDS: Readonly<Record<string, string>> = {
  call_events: 'lower(hex(event_id))',
  dead_letters: 'id',
};

/** Deleted rows by table. */
export type RowCounts = Record<string, number>;

/** Deletes rows for an erasure, and the ids of deleted facts from their receipts. */
@Injectable()
export class ErasedRows {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly receipts: ReceiptsRemoval,
  ) {}

  async removeCalls(projectId: string, ids: readonly string[], rows: RowCounts): Promise<void> {
    for (const deletion of deletionsOfCalls(projectId, bind('Array(String)', ids)))
      await this.remove(projectId, deletion, rows);
  }

  /** Adds the number of deleted rows to `rows`. */
  async remove(projectId: string, deletion: Deletion, rows: RowCounts): Promise<void> {
    const { table, where } = deletion;
    const count = await this.count(deletion);
    if (count === 0) return;
    await this.forgetReceipts(projectId, deletion);
    await this.removal.remove(table, where);
    rows[table] = (rows[table] ?? 0) + count;
  }

  async count({ table, where }: Deletion): Promise<number> {
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT count() AS n FROM ${raw(table)} WHERE ${where}`,
    );
    return Number(row?.n ?? 0);
  }

  /** Removes the ids of the facts from their receipts. The counts stay, so the ledger still balances. */
  private async forgetReceipts(projectId: string, deletion: Deletion): Promise<void> {
    const { table, where, receiptsOf = projectId } = deletion;
    const id = FACT_IDS[table];
    if (id === undefined) return;
    await this.receipts.forget(
      receiptsOf,
      sql`SELECT DISTINCT ${raw(id)} AS id FROM ${raw(table)} WHERE ${where}`,
    );
  }
}
