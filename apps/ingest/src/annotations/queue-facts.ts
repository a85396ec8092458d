import type {
  AnnotationItemsAddRequest,
  AnnotationQueueCreateRequest,
  AnnotationQueueUpdateRequest,
} from '@app/contracts';
import type {
  AnnotationItemAdded,
  AnnotationItemProgressed,
  AnnotationQueueChanged,
  AnnotationQueueCreated,
  AnnotationQueueDeleted,
  ProgressState,
} from '@app/events';
import { micros } from '@app/wire';
import { NO_BODY, type RecordContext } from '../record-facts.js';
import type { QueuedCall, QueueRow } from './queues.reader.js';

export const createdFact = (
  id: string,
  { name, description, scorer_refs }: AnnotationQueueCreateRequest,
  context: RecordContext,
): AnnotationQueueCreated => ({
  type: 'AnnotationQueueCreated',
  ...context,
  data: { id, name, description: description ?? '', scorerRefs: scorer_refs },
  body: NO_BODY,
});

/** Undefined for a request that changes nothing. */
export function changedFact(
  id: string,
  { name, description, scorer_refs }: AnnotationQueueUpdateRequest,
  context: RecordContext,
): AnnotationQueueChanged | undefined {
  const changed = {
    ...(isGiven(name) && { name }),
    ...(isGiven(description) && { description }),
    ...(isGiven(scorer_refs) && { scorerRefs: scorer_refs }),
  };
  if (Object.keys(changed).length === 0) return undefined;
  return { type: 'AnnotationQueueChanged', ...context, data: { id, ...changed }, body: NO_BODY };
}

const isGiven = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined;

/** The queue after the change. */
export function changedQueue(
  queue: QueueRow,
  { data, receivedAt }: AnnotationQueueChanged,
): QueueRow {
  return {
    ...queue,
    queue_name: data.name ?? queue.queue_name,
    about: data.description ?? queue.about,
    refs: data.scorerRefs ? JSON.stringify(data.scorerRefs) : queue.refs,
    updated_at: receivedAt,
  };
}

export const deletedFact = (id: string, context: RecordContext): AnnotationQueueDeleted => ({
  type: 'AnnotationQueueDeleted',
  ...context,
  data: { id },
  body: NO_BODY,
});

export const addedFact = (
  id: string,
  queueId: string,
  call: QueuedCall,
  { display_fields }: AnnotationItemsAddRequest,
  context: RecordContext,
): AnnotationItemAdded => ({
  type: 'AnnotationItemAdded',
  ...context,
  data: {
    id,
    queueId,
    callId: call.id,
    startedAt: micros(Number(call.started)),
    endedAt: micros(Number(call.ended)),
    opName: call.op_name,
    traceId: call.trace_id,
    displayFields: display_fields,
  },
  body: NO_BODY,
});

export const progressedFact = (
  id: string,
  queueId: string,
  state: ProgressState,
  context: RecordContext,
): AnnotationItemProgressed => ({
  type: 'AnnotationItemProgressed',
  ...context,
  data: { id, queueId, state },
  body: NO_BODY,
});
