import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt64, type Table } from '../columns.js';

/** One entry of the audit log. Rows are never updated. */
export interface AuditRow {
  at: Micros;
  id: string;
  user_id: string;
  key_id: string;
  address: string;
  request_id: string;
  action: string;
  project_id: string;
  /** JSON. */
  detail: string;
  seq: number;
  hash: string;
}

export const AUDIT: Table<AuditRow> = {
  name: 'audit',
  columns: {
    at: asMicros,
    id: asText,
    user_id: asText,
    key_id: asText,
    address: asText,
    request_id: asText,
    action: asText,
    project_id: asText,
    detail: asText,
    seq: asUInt64,
    hash: asText,
  },
};
