import type { Micros } from '@app/wire';
import { asInt64, asMicros, asText, asUInt32, asUInt64, type Table } from '../columns.js';

/** One fact about a record in the event log. */
export interface RecordEventRow {
  project_id: string;
  type: string;
  seq: number;
  version_index: number;
  received_at: Micros;
  user_id: string;
  chunk_id: string;
  chunk_index: number;
  /** JSON. */
  data: string;
  body: Buffer;
}

export const RECORD_EVENTS: Table<RecordEventRow> = {
  name: 'record_events',
  columns: {
    project_id: asText,
    type: asText,
    seq: asUInt64,
    version_index: asInt64,
    received_at: asMicros,
    user_id: asText,
    chunk_id: asText,
    chunk_index: asUInt32,
    data: asText,
    body: asText,
  },
};
