import { asText, asUInt32, asUInt64, type Table } from '../row-binary.js';

/** How many facts of a project the receipts of one day signed for, once those are gone. */
export interface ReceiptTotalRow {
  project_id: string;
  /** As a number such as 20260301, which is the partition's name. */
  day: number;
  facts: number;
}

export const RECEIPT_TOTALS: Table<ReceiptTotalRow> = {
  name: 'receipt_totals',
  columns: { project_id: asText, day: asUInt32, facts: asUInt64 },
};
