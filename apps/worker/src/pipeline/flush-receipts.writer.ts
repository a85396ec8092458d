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
  let row: OpenRow | undefined;
  for (const fact of facts) {
    // The facts of a chunk follow each other, and nearly always have the same project.
    if (row?.chunk_id !== fact.chunkId || row.project_id !== fact.projectId)
      row = rowOf(fact, rows, storedAt);
    if (row.positions.has(fact.index)) continue;
    row.positions.add(fact.index);
    row.fact_ids.push(factId(fact));
  }
  return [...rows.values()].map(({ positions, ...row }) => ({ ...row, facts: positions.size }));
}

function rowOf(fact: Fact, rows: Map<string, OpenRow>, storedAt: Micros): OpenRow {
  const key = JSON.stringify([fact.projectId, fact.chunkId]);
  const known = rows.get(key);
  if (known !== undefined) return known;
  const row = newRow(fact, storedAt);
  rows.set(key, row);
  return row;
}

function newRow({ projectId, chunkId }: Fact, storedAt: Micros): OpenRow {
  const none = { facts: 0, fact_ids: [], positions: new Set<number>() };
  return { project_id: projectId, chunk_id: chunkId, stored_at: storedAt, ...none };
}
