import type { RecordFact } from './record-fact.js';

interface Retention {
  /** Of calls; null keeps them indefinitely. */
  readonly days: number | null;
  /** Of feedback; null, or absent in older facts, keeps it as long as its call. */
  readonly feedbackDays?: number | null;
}

/** The retention of a project's calls and feedback was set. */
export type RetentionSet = RecordFact<'RetentionSet', Retention>;
