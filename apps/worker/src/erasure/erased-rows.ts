import { Injectable } from '@nestjs/common';
import { bind, raw, Removal, sql, Store, type Sql } from '@app/clickhouse';
import { ReceiptsRemoval, type FactTable } from '../pipeline/receipts.removal.js';
import { deletionsOfCalls, type Deletion } from './erasure-target.js';

/** Deleted rows by table. */
export type RowCounts = Record<string, number>;

/** Deletes rows for an erasure, and tells the ledger which facts that concerns. */
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

  /** Removes the user from facts about calls of other users. */
  async forgetUser(facts: Sql): Promise<void> {
    await this.removal.change('call_events', sql`user_id = ''`, facts);
  }

  /** Adds the number of deleted rows to `rows`. */
  async remove(projectId: string, deletion: Deletion, rows: RowCounts): Promise<void> {
    const { table, where, receiptsOf = projectId } = deletion;
    const count = await this.count(deletion);
    if (count === 0) return;
    if (hasFacts(table)) await this.receipts.recordRemoved(receiptsOf, table, where);
    await this.removal.remove(table, where);
    rows[table] = (rows[table] ?? 0) + count;
  }

  async count({ table, where }: Deletion): Promise<number> {
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT count() AS n FROM ${raw(table)} WHERE ${where}`,
    );
    return Number(row?.n ?? 0);
  }
}

const hasFacts = (table: string): table is FactTable =>
  table === 'call_events' || table === 'dead_letters';
