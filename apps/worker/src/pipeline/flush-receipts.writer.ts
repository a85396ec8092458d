import { Injectable } from '@nestjs/common';
import { RECEIPTS, Store, type ReceiptRow } from '@app/clickhouse';
import { factId, type Fact } from '@app/events';
import { microsOf, nowMillis, type Micros } from '@app/wire';

/** Writes one flush receipt per chunk and project. */
@Injectable()
export class FlushReceipts {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored them. Writing one twice stores it once. */
  write(facts: readonly Fact[]): Promise<void> {
    return this.store.insert(RECEIPTS, receiptRows(facts, microsOf(nowMillis())));
  }
}

type OpenRow = ReceiptRow & { fact_ids: string[]; positions: Set<number> };

/**
 * One row per chunk and project. `facts` counts positions in the chunk, so a fact that is twice in a chunk counts twice. A
 * chunk that is twice in one flush, because its job stalled and was run again, counts once.
 */
export function receiptRows(facts: readonly Fact[], storedAt: Micros): ReceiptRow[] {
  const rows = new Map<string, OpenRow>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.projectId, fact.chunkId]);
    const row = rows.get(key) ?? newRow(fact, storedAt);
    rows.set(key, row);
    if (row.positions.has(fact.index)) continue;
    row.positions.add(fact.index);
    row.fact_ids.push(factId(fact));
  }
  return [...rows.values()].map(({ positions, ...row }) => ({ ...row, facts: positions.size }));
}

function newRow({ projectId, chunkId }: Fact, storedAt: Micros): OpenRow {
  const none = { facts: 0, fact_ids: [], positions: new Set<number>() };
  return { project_id: projectId, chunk_id: chunkId, stored_at: storedAt, ...none };
}
