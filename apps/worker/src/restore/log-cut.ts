import { Injectable } from '@nestjs/common';
import { and, atMillis, bind, raw, Removal, sql, Store, type Sql } from '@app/clickhouse';
import type { Millis } from '@app/wire';
import { ReceiptsRemoval, type FactTable } from '../pipeline/receipts.removal.js';
import { CallsRebuild } from '../repair/calls-rebuild.js';
import { RecordsRebuild } from '../repair/records-rebuild.js';

type Progress = (what: string) => (done: number, total: number) => void;

/** The tables whose facts the ledger looks for. */
const COUNTED: readonly FactTable[] = ['call_events', 'dead_letters'];

/** Takes the logs back to an earlier time, and rebuilds every other table from them. For a restored system only. */
@Injectable()
export class LogCut {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly receipts: ReceiptsRemoval,
    private readonly calls: CallsRebuild,
    private readonly records: RecordsRebuild,
  ) {}

  /** Removes every fact that was accepted after `until`. Resolves to the number of removed facts. */
  async run(until: Millis, progress: Progress): Promise<number> {
    const after = sql`received_at > ${atMillis(until)}`;
    let removed = 0;
    for (const table of [...COUNTED, 'record_events'] as const) {
      removed += await this.count(table, after);
      if (table !== 'record_events') await this.recordRemoved(table, after);
      await this.removal.remove(table, after);
    }
    await this.removal.remove('files', WITHOUT_FACT);
    const calls = progress('calls folded');
    await this.calls.run(({ done, total }) => calls(done, total), { allowFewerRows: true });
    await this.records.run(progress('records projected'), true);
    return removed;
  }

  private async recordRemoved(table: FactTable, after: Sql): Promise<void> {
    const projects = await this.store.rows<{ project_id: string }>(
      sql`SELECT DISTINCT project_id FROM ${raw(table)} WHERE ${after}`,
    );
    for (const { project_id } of projects) {
      const own = and([sql`project_id = ${bind('String', project_id)}`, after]);
      await this.receipts.recordRemoved(project_id, table, own);
    }
  }

  private async count(table: string, where: Sql): Promise<number> {
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT count() AS n FROM ${raw(table)} FINAL WHERE ${where}`,
    );
    return Number(row!.n);
  }
}

/** A file is found by its digest alone, so it would still be readable. */
const WITHOUT_FACT = sql`(project_id, digest) NOT IN (
  SELECT project_id, JSONExtractString(data, 'digest') FROM record_events WHERE type = 'FileStored'
)`;
