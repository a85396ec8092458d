import type { Micros } from '@app/wire';
import { asMicros, asText, asTuple, asUInt64, type Table } from '../columns.js';

/** A value and the sequence number of the fact that set it. */
export interface SetValue {
  seq: number;
  value: string;
}

const asSetValue = asTuple({ seq: asUInt64, value: asText });

/** The contribution of one fact to a queue. A column that the fact does not set has the value that loses every merge. */
export interface AnnotationQueueRow {
  project_id: string;
  id: string;
  created: { seq: number | bigint; at: Micros; user_id: string };
  name: SetValue;
  description: SetValue;
  /** A JSON list. */
  scorer_refs: SetValue;
  updated: Micros;
  deleted: Micros;
}

export const ANNOTATION_QUEUES: Table<AnnotationQueueRow> = {
  name: 'annotation_queues',
  columns: {
    project_id: asText,
    id: asText,
    created: asTuple({ seq: asUInt64, at: asMicros, user_id: asText }),
    name: asSetValue,
    description: asSetValue,
    scorer_refs: asSetValue,
    updated: asMicros,
    deleted: asMicros,
  },
};

/** The contribution of one fact to an item of a queue. */
export interface AnnotationItemRow {
  project_id: string;
  queue_id: string;
  id: string;
  /** `display_fields` is a JSON list. */
  added: { seq: number | bigint; at: Micros; user_id: string; display_fields: string };
  call_id: string;
  call_started_at: Micros;
  call_ended_at: Micros;
  call_op_name: string;
  call_trace_id: string;
  progress: { seq: number; at: Micros; user_id: string; state: string };
}

export const ANNOTATION_ITEMS: Table<AnnotationItemRow> = {
  name: 'annotation_items',
  columns: {
    project_id: asText,
    queue_id: asText,
    id: asText,
    added: asTuple({ seq: asUInt64, at: asMicros, user_id: asText, display_fields: asText }),
    call_id: asText,
    call_started_at: asMicros,
    call_ended_at: asMicros,
    call_op_name: asText,
    call_trace_id: asText,
    progress: asTuple({ seq: asUInt64, at: asMicros, user_id: asText, state: asText }),
  },
};
