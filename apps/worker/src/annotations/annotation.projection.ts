import type { AnnotationItemRow, AnnotationQueueRow, SetValue } from '@app/clickhouse';
import type {
  AnnotationItemAdded,
  AnnotationItemProgressed,
  AnnotationQueueChanged,
  AnnotationQueueCreated,
  AnnotationQueueDeleted,
  Ordered,
} from '@app/events';
import { micros } from '@app/wire';

/** Greater than every `seq`, because the columns keep the least one. */
const NO_FIRST = { seq: 2n ** 64n - 1n, at: micros(0), user_id: '' };
const UNSET: SetValue = { seq: 0, value: '' };
const NEVER = micros(0);

type QueueFact = Ordered<AnnotationQueueCreated | AnnotationQueueChanged | AnnotationQueueDeleted>;

export function queueRow(fact: QueueFact): AnnotationQueueRow {
  const { projectId, userId, receivedAt, seq, data } = fact;
  const set = (value: string | undefined) => (value === undefined ? UNSET : { seq, value });
  const fields: AnnotationQueueChanged['data'] = data;
  return {
    project_id: projectId,
    id: data.id,
    created:
      fact.type === 'AnnotationQueueCreated' ? { seq, at: receivedAt, user_id: userId } : NO_FIRST,
    name: set(fields.name),
    description: set(fields.description),
    scorer_refs: set(fields.scorerRefs && JSON.stringify(fields.scorerRefs)),
    updated: receivedAt,
    deleted: fact.type === 'AnnotationQueueDeleted' ? receivedAt : NEVER,
  };
}

export function addedItemRow(fact: Ordered<AnnotationItemAdded>): AnnotationItemRow {
  const { projectId, userId, receivedAt, seq, data } = fact;
  return {
    project_id: projectId,
    queue_id: data.queueId,
    id: data.id,
    added: {
      ...{ seq, at: receivedAt, user_id: userId },
      display_fields: JSON.stringify(data.displayFields),
    },
    call_id: data.callId,
    call_started_at: data.startedAt,
    call_ended_at: data.endedAt,
    call_op_name: data.opName,
    call_trace_id: data.traceId,
    progress: { seq: 0, at: NEVER, user_id: '', state: '' },
  };
}

export function progressedItemRow(fact: Ordered<AnnotationItemProgressed>): AnnotationItemRow {
  const { projectId, userId, receivedAt, seq, data } = fact;
  return {
    project_id: projectId,
    queue_id: data.queueId,
    id: data.id,
    added: { ...NO_FIRST, display_fields: '' },
    call_id: '',
    call_started_at: NEVER,
    call_ended_at: NEVER,
    call_op_name: '',
    call_trace_id: '',
    progress: { seq, at: receivedAt, user_id: userId, state: data.state },
  };
}
