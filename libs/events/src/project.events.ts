import type { RecordFact } from './record-fact.js';

/** The retention of a project's calls was set; null keeps them indefinitely. */
export type RetentionSet = RecordFact<'RetentionSet', { readonly days: number | null }>;
