import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt32, asUInt64, type Table } from '../columns.js';

export interface TableMetaRow {
  project_id: string;
  digest: string;
  row_count: number;
  created_at: Micros;
  seq: number;
}

export const TABLES: Table<TableMetaRow> = {
  name: 'tables',
  columns: {
    project_id: asText,
    digest: asText,
    row_count: asUInt64,
    created_at: asMicros,
    seq: asUInt64,
  },
};

export interface TablePositionRow {
  project_id: string;
  digest: string;
  position: number;
  row_digest: string;
  seq: number;
}

export const TABLE_POSITIONS: Table<TablePositionRow> = {
  name: 'table_positions',
  columns: {
    project_id: asText,
    digest: asText,
    position: asUInt32,
    row_digest: asText,
    seq: asUInt64,
  },
};

export interface TableRowRow {
  project_id: string;
  digest: string;
  size_bytes: number;
  val: Buffer;
  seq: number;
}

export const TABLE_ROWS: Table<TableRowRow> = {
  name: 'table_rows',
  columns: { project_id: asText, digest: asText, size_bytes: asUInt32, val: asText, seq: asUInt64 },
};
