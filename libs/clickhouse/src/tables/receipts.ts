import { asArray, asId16, asMicros, asText, asUInt64, type Table } from '../row-binary.js';

/** Which facts of a project a stored chunk held: one line of the ledger. */
export interface ReceiptRow {
  project_id: string;
  chunk_id: string;
  stored_at: number;
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
