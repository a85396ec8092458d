import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt64, asUInt8, type Table } from '../columns.js';

/** The state of a feedback record after one fact. The row with the greatest version wins. */
export interface FeedbackRow {
  project_id: string;
  id: string;
  weave_ref: string;
  call_id: string;
  feedback_type: string;
  payload: string | Buffer;
  creator: string;
  user_id: string;
  created_at: Micros;
  annotation_ref: string;
  runnable_ref: string;
  call_ref: string;
  trigger_ref: string;
  queue_id: string;
  /** Scorer values as JSON. */
  scorer: string;
  /** The span that the feedback is about, as JSON. */
  span: string;
  version: number;
  is_deleted: number;
}

export const FEEDBACK: Table<FeedbackRow> = {
  name: 'feedback',
  columns: {
    project_id: asText,
    id: asText,
    weave_ref: asText,
    call_id: asText,
    feedback_type: asText,
    payload: asText,
    creator: asText,
    user_id: asText,
    created_at: asMicros,
    annotation_ref: asText,
    runnable_ref: asText,
    call_ref: asText,
    trigger_ref: asText,
    queue_id: asText,
    scorer: asText,
    span: asText,
    version: asUInt64,
    is_deleted: asUInt8,
  },
};
