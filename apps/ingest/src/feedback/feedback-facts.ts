import type { FeedbackCreateRecord } from '@app/contracts';
import type { FeedbackGiven, FeedbackPurged, ScorerValues, SpanValues } from '@app/events';
import { InvalidBodyError } from '@app/http';
import { printTimestamp } from '@app/wire';
import { NO_BODY, type RecordContext } from '../record-facts.js';
import { callIdOf } from './feedback-refs.js';
import { checkedPayload } from './feedback-rules.js';

/** A record → one fact, or a ProblemError. */
export function givenFact(
  record: FeedbackCreateRecord,
  id: string,
  { addsOnly, ...context }: RecordContext & { readonly addsOnly: boolean },
): FeedbackGiven {
  const ref = refIn(record);
  const data = {
    id,
    ref,
    callId: callIdOf(ref, record.project_id),
    type: record.feedback_type,
    creator: record.creator ?? '',
    annotationRef: record.annotation_ref ?? '',
    runnableRef: record.runnable_ref ?? '',
    callRef: record.call_ref ?? '',
    triggerRef: record.trigger_ref ?? '',
    queueId: record.queue_id ?? '',
    scorer: scorerOf(record),
    span: spanOf(record),
    ...(addsOnly && { addsOnly }),
  };
  return { type: 'FeedbackGiven', ...context, data, body: checkedPayload(record, ref) };
}

function refIn({ weave_ref, item_ref }: FeedbackCreateRecord): string {
  const ref = weave_ref ?? item_ref;
  if (ref) return ref;
  throw new InvalidBodyError([
    { loc: ['body', 'weave_ref'], msg: 'Field required', type: 'missing' },
  ]);
}

function scorerOf(record: FeedbackCreateRecord): ScorerValues {
  return {
    scorer_tags: record.scorer_tags ?? [],
    scorer_tag_reasons: record.scorer_tag_reasons ?? {},
    scorer_tag_confidences: record.scorer_tag_confidences ?? {},
    scorer_ratings: record.scorer_ratings ?? {},
    scorer_rating_reasons: record.scorer_rating_reasons ?? {},
    scorer_rating_confidences: record.scorer_rating_confidences ?? {},
  };
}

function spanOf(record: FeedbackCreateRecord): SpanValues {
  return {
    span_agent_name: record.span_agent_name ?? '',
    span_agent_version: record.span_agent_version ?? '',
    span_status_code: record.span_status_code ?? 'UNSET',
    span_conversation_id: record.span_conversation_id ?? '',
    span_trace_id: record.span_trace_id ?? '',
    scorer_trace_id: record.scorer_trace_id ?? '',
  };
}

export const purgedFact = (id: string, context: RecordContext): FeedbackPurged => ({
  type: 'FeedbackPurged',
  ...context,
  data: { id },
  body: NO_BODY,
});

/** The response as JSON text. The payload is inserted as it is stored. */
export function feedbackResponse({ data, userId, receivedAt, body }: FeedbackGiven): string {
  const plain = { id: data.id, created_at: printTimestamp(receivedAt), wb_user_id: userId };
  return `${JSON.stringify(plain).slice(0, -1)},"payload":${body.toString('utf8')}}`;
}
