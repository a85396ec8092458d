import type { Micros } from '@app/wire';
import { asMicros, asText, type Table } from '../row-binary.js';

/** One entry of the audit log. Rows are never updated. */
export interface AuditRow {
  at: Micros;
  id: string;
  user_id: string;
  action: string;
  project_id: string;
  /** JSON. */
  detail: string;
}

export const AUDIT: Table<AuditRow> = {
  name: 'audit',
  columns: {
    at: asMicros,
    id: asText,
    user_id: asText,
    action: asText,
    project_id: asText,
    detail: asText,
  },
};
