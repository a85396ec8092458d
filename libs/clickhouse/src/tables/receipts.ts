import type { Micros } from '@app/wire';
import { asArray, asId16, asMicros, asText, asUInt64, type Table } from '../columns.js';

/** A flush receipt: the facts of one project in a stored chunk. Receipts form the ledger. */
export interface ReceiptRow {
  project_id: string;
  chunk_id: string;
  stored_at: Micros;
  facts: number;
  fact_ids: readonly string[];
}

export const RECEIPTS: Table<ReceiptRow> = {
  name: 'receipts',
  columns: {
    project_id: asText,
    chunk_id: asText,
    stored_at: asMicros,
    facts: asUInt64,
    fact_ids: asArray(asId16),
  },
};
