import { Injectable } from '@nestjs/common';
import { RECEIPTS, Store, type ReceiptRow } from '@app/clickhouse';
import { factId, type Fact } from '@app/events';
import { microsOf, nowMillis, type Micros } from '@app/wire';

/** The ledger's line for every chunk whose facts are in the log, or on their way there again. */
@Injectable()
export class FlushReceipts {
  constructor(private readonly store: Store) {}

  /** Resolves when they are stored. Writing one twice leaves it there once. */
  write(facts: readonly Fact[]): Promise<void> {
    return this.store.insert(RECEIPTS, receiptRows(facts, microsOf(nowMillis())));
  }
}

type OpenRow = ReceiptRow & { fact_ids: string[]; places: Set<number> };

/**
 * One row per chunk and project. `facts` counts places in the chunk: a record that came twice in it counts twice, but a
 * chunk that is twice in one flush, because its job stalled and was run again, counts once.
 */
export function receiptRows(facts: readonly Fact[], storedAt: Micros): ReceiptRow[] {
  const rows = new Map<string, OpenRow>();
  for (const fact of facts) {
    const key = JSON.stringify([fact.projectId, fact.chunkId]);
    const row = rows.get(key) ?? newRow(fact, storedAt);
    rows.set(key, row);
    if (row.places.has(fact.index)) continue;
    row.places.add(fact.index);
    row.fact_ids.push(factId(fact));
  }
  return [...rows.values()].map(({ places, ...row }) => ({ ...row, facts: places.size }));
}

function newRow({ projectId, chunkId }: Fact, storedAt: Micros): OpenRow {
  const none = { facts: 0, fact_ids: [], places: new Set<number>() };
  return { project_id: projectId, chunk_id: chunkId, stored_at: storedAt, ...none };
}
