import type { Micros } from '@app/wire';
import { asEnum8, asMicros, asText, asUInt32, type Table } from '../columns.js';

const DEAD_LETTER_STATE = { open: 1, replayed: 2, dropped: 3 } as const;

/** A fact that cannot be stored, with the reason. */
export interface DeadLetterRow {
  id: string;
  project_id: string;
  call_id: string;
  kind: string;
  reason: string;
  user_id: string;
  received_at: Micros;
  chunk_id: string;
  chunk_index: number;
  item: Buffer;
  state: keyof typeof DEAD_LETTER_STATE;
  changed_at: Micros;
}

export const DEAD_LETTERS: Table<DeadLetterRow> = {
  name: 'dead_letters',
  columns: {
    id: asText,
    project_id: asText,
    call_id: asText,
    kind: asText,
    reason: asText,
    user_id: asText,
    received_at: asMicros,
    chunk_id: asText,
    chunk_index: asUInt32,
    item: asText,
    state: asEnum8(DEAD_LETTER_STATE),
    changed_at: asMicros,
  },
};
