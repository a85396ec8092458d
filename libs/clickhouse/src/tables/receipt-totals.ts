import { asText, asUInt32, asUInt64, type Table } from '../columns.js';

/** Number of facts in a project's receipts of one day. It replaces those receipts after they are deleted. */
export interface ReceiptTotalRow {
  project_id: string;
  /** A number such as 20260301, which is the partition id. */
  day: number;
  facts: number;
}

export const RECEIPT_TOTALS: Table<ReceiptTotalRow> = {
  name: 'receipt_totals',
  columns: { project_id: asText, day: asUInt32, facts: asUInt64 },
};
