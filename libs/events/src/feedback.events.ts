import type { RecordFact } from './record-fact.js';

/** Values of a scorer in addition to the payload, by name. */
export interface ScorerValues {
  readonly scorer_tags: readonly string[];
  readonly scorer_tag_reasons: Readonly<Record<string, string>>;
  readonly scorer_tag_confidences: Readonly<Record<string, number>>;
  readonly scorer_ratings: Readonly<Record<string, number>>;
  readonly scorer_rating_reasons: Readonly<Record<string, string>>;
  readonly scorer_rating_confidences: Readonly<Record<string, number>>;
}

/** The span of an agent that feedback is about. */
export interface SpanValues {
  readonly span_agent_name: string;
  readonly span_agent_version: string;
  readonly span_status_code: string;
  readonly span_conversation_id: string;
  readonly span_trace_id: string;
  readonly scorer_trace_id: string;
}

interface GivenFeedback {
  readonly id: string;
  readonly ref: string;
  /** Empty when the ref is not that of a call. */
  readonly callId: string;
  readonly type: string;
  readonly creator: string;
  readonly annotationRef: string;
  readonly runnableRef: string;
  readonly callRef: string;
  readonly triggerRef: string;
  readonly queueId: string;
  readonly scorer: ScorerValues;
  readonly span: SpanValues;
  /** Whether the key may only add: then the feedback replaces none with the same id. */
  readonly addsOnly?: boolean;
}

/** Feedback was given or replaced. The body is the JSON text of its payload. */
export type FeedbackGiven = RecordFact<'FeedbackGiven', GivenFeedback>;

export type FeedbackPurged = RecordFact<'FeedbackPurged', { readonly id: string }>;

export type FeedbackFact = FeedbackGiven | FeedbackPurged;
