import type { RecordFact } from './record-fact.js';

/** How long the calls of a project are kept was decided; null is for ever. */
export type RetentionSet = RecordFact<'RetentionSet', { readonly days: number | null }>;
