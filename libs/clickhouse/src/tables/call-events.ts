import type { Micros } from '@app/wire';
import {
  asEnum8,
  asId16,
  asMicros,
  asText,
  asUInt32,
  asUInt64,
  asUInt8,
  type Table,
} from '../columns.js';

const CALL_EVENT_KIND = { start: 1, end: 2, complete: 3, rename: 4, delete: 5 } as const;

/** One fact about a call in the event log. */
export interface CallEventRow {
  project_id: string;
  call_id: string;
  kind: keyof typeof CALL_EVENT_KIND;
  event_id: string;
  received_at: Micros;
  /** 2^63 − received_at, so that of equal facts ClickHouse keeps the one received first. */
  priority: bigint;
  user_id: string;
  /** 1 when the key that sent the fact may only add. */
  adds_only: number;
  chunk_id: string;
  chunk_index: number;
  item: Buffer;
}

export const CALL_EVENTS: Table<CallEventRow> = {
  name: 'call_events',
  columns: {
    project_id: asText,
    call_id: asText,
    kind: asEnum8(CALL_EVENT_KIND),
    event_id: asId16,
    received_at: asMicros,
    priority: asUInt64,
    user_id: asText,
    adds_only: asUInt8,
    chunk_id: asText,
    chunk_index: asUInt32,
    item: asText,
  },
};
