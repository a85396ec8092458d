import type { Micros } from '@app/wire';
import type { RecordFact } from './record-fact.js';

interface QueueFields {
  readonly name: string;
  readonly description: string;
  /** Refs of the scorers or annotation specs that annotators fill in. */
  readonly scorerRefs: readonly string[];
}

/** A queue of calls for annotators was created. */
export type AnnotationQueueCreated = RecordFact<
  'AnnotationQueueCreated',
  QueueFields & { readonly id: string }
>;

/** Some fields of a queue were changed; the others are absent. */
export type AnnotationQueueChanged = RecordFact<
  'AnnotationQueueChanged',
  Partial<QueueFields> & { readonly id: string }
>;

/** The items of the queue go with it. */
export type AnnotationQueueDeleted = RecordFact<'AnnotationQueueDeleted', { readonly id: string }>;

/** A call was added to a queue, with what was known of it then. */
export type AnnotationItemAdded = RecordFact<
  'AnnotationItemAdded',
  {
    readonly id: string;
    readonly queueId: string;
    readonly callId: string;
    readonly startedAt: Micros;
    /** 0 for a call that has not ended. */
    readonly endedAt: Micros;
    readonly opName: string;
    readonly traceId: string;
    readonly displayFields: readonly string[];
  }
>;

/** The states that an annotator can set. */
export type ProgressState = 'in_progress' | 'completed' | 'skipped';

/** An annotator, the user of the fact, claimed or finished an item. */
export type AnnotationItemProgressed = RecordFact<
  'AnnotationItemProgressed',
  { readonly id: string; readonly queueId: string; readonly state: ProgressState }
>;

export type AnnotationFact =
  | AnnotationQueueCreated
  | AnnotationQueueChanged
  | AnnotationQueueDeleted
  | AnnotationItemAdded
  | AnnotationItemProgressed;
