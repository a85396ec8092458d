import { micros, printTimestamp } from '@app/wire';
import type { AnnotationItemSchema, AnnotationQueueSchema } from './annotation-queue.dto.js';

/** What a queue's record is made from. Times are microseconds. */
interface StoredQueue {
  readonly id: string;
  readonly queue_name: string;
  readonly about: string;
  readonly refs: string;
  readonly created_at: number | string;
  readonly created_by: string;
  readonly updated_at: number | string;
}

const printed = (at: number | string) => printTimestamp(micros(Number(at)));
const printedOrNull = (at: number | string) => (Number(at) === 0 ? null : printed(at));

export function queueRecord(
  projectId: string,
  queue: StoredQueue,
  deletedAt: number | string = 0,
): AnnotationQueueSchema {
  return {
    id: queue.id,
    project_id: projectId,
    name: queue.queue_name,
    description: queue.about,
    scorer_refs: JSON.parse(queue.refs) as string[],
    created_at: printed(queue.created_at),
    created_by: queue.created_by,
    updated_at: printed(queue.updated_at),
    deleted_at: printedOrNull(deletedAt),
  };
}

/** What an item's record is made from. Times are microseconds; 0 for none. */
interface StoredItem {
  readonly queue_id: string;
  readonly id: string;
  readonly call: string;
  readonly call_started: number | string;
  readonly call_ended: number | string;
  readonly op_name: string;
  readonly trace_id: string;
  readonly fields: string;
  readonly created_at: number | string;
  readonly added_by: string;
  readonly state: string;
  readonly annotator: string;
  readonly updated_at: number | string;
  readonly position?: number | string;
}

export function itemRecord(projectId: string, item: StoredItem): AnnotationItemSchema {
  return {
    id: item.id,
    project_id: projectId,
    queue_id: item.queue_id,
    call_id: item.call,
    call_started_at: printed(item.call_started),
    call_ended_at: printedOrNull(item.call_ended),
    call_op_name: item.op_name,
    call_trace_id: item.trace_id,
    display_fields: JSON.parse(item.fields) as string[],
    added_by: item.added_by || null,
    annotation_state: item.state,
    annotator_user_id: item.annotator || null,
    created_at: printed(item.created_at),
    created_by: item.added_by,
    updated_at: printed(item.updated_at),
    deleted_at: null,
    position_in_queue: item.position === undefined ? null : Number(item.position),
  };
}
