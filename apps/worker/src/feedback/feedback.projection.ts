import type { FeedbackRow } from '@app/clickhouse';
import type { FeedbackGiven, FeedbackPurged, Ordered } from '@app/events';

export function givenRow(fact: Ordered<FeedbackGiven>): FeedbackRow {
  const { projectId, userId, receivedAt, seq, data, body } = fact;
  return {
    project_id: projectId,
    id: data.id,
    weave_ref: data.ref,
    call_id: data.callId,
    feedback_type: data.type,
    payload: body,
    creator: data.creator,
    user_id: userId,
    created_at: receivedAt,
    annotation_ref: data.annotationRef,
    runnable_ref: data.runnableRef,
    call_ref: data.callRef,
    trigger_ref: data.triggerRef,
    queue_id: data.queueId,
    scorer: JSON.stringify(data.scorer),
    span: JSON.stringify(data.span),
    version: data.addsOnly ? addedVersion(seq) : seq,
    is_deleted: 0,
  };
}

/** Seqs are microseconds since 1970. Those of this software are between the two (2023-11 to 2077). */
const [FIRST_SEQ, LAST_SEQ] = [17e14, 34e14];

/** Less than the seq of every fact that may replace feedback, and the less the later: of several added ones the first stays. */
export const addedVersion = (seq: number) => Math.max(LAST_SEQ - Math.max(seq, FIRST_SEQ), 1);

/** The seq of a row's fact, in SQL. */
export const SEQ_OF_VERSION = `if(version <= ${LAST_SEQ - FIRST_SEQ}, toUInt64(${LAST_SEQ} - version), version)`;

export function purgedRow(fact: Ordered<FeedbackPurged>): FeedbackRow {
  const { projectId, userId, receivedAt, seq, data } = fact;
  return {
    project_id: projectId,
    id: data.id,
    weave_ref: '',
    call_id: '',
    feedback_type: '',
    payload: '',
    creator: '',
    user_id: userId,
    created_at: receivedAt,
    annotation_ref: '',
    runnable_ref: '',
    call_ref: '',
    trigger_ref: '',
    queue_id: '',
    scorer: '',
    span: '',
    version: seq,
    is_deleted: 1,
  };
}
