import { Injectable } from '@nestjs/common';
import { RECEIPTS, Store, type ReceiptRow } from '@app/clickhouse';
import { factId, type Fact } from '@app/events';

/** The ledger's line for every chunk that is stored. */
@Injectable()
export class Receipts {
  constructor(private readonly store: Store) {}

  /** Resolves when they are stored. Writing one twice leaves it there once. */
  write(facts: readonly Fact[]): Promise<void> {
    return this.store.insert(RECEIPTS, receiptRows(facts, Date.now() * 1000));
  }
}

/** One row per chunk and project. `facts` counts receipts, so a record that came twice in a chunk counts twice. */
export function receiptRows(facts: readonly Fact[], storedAt: number): ReceiptRow[] {
  const rows = new Map<string, ReceiptRow & { fact_ids: string[] }>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.projectId, fact.chunkId]);
    const row = rows.get(key) ?? newRow(fact, storedAt);
    rows.set(key, row);
    row.facts++;
    row.fact_ids.push(factId(fact));
  }
  return [...rows.values()];
}

function newRow(
  { projectId, chunkId }: Fact,
  storedAt: number,
): ReceiptRow & { fact_ids: string[] } {
  return { project_id: projectId, chunk_id: chunkId, stored_at: storedAt, facts: 0, fact_ids: [] };
}
