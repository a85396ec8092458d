import type { Micros } from '@app/wire';
import type { RecordFact } from './record-fact.js';

interface LinkedSource {
  /** The same for the same dataset, row and source. */
  readonly id: string;
  /** The name of the dataset. All of its versions share the links. */
  readonly datasetId: string;
  readonly rowDigest: string;
  readonly kind: 'call' | 'span' | 'conversation';
  readonly sourceId: string;
  /** Empty for a conversation, which may have many traces. */
  readonly traceId: string;
  readonly startedAt: Micros;
  readonly displayName: string;
}

/** A row of a dataset was made from a source. The body is the JSON text of the metadata, or empty. */
export type DatasetSourceLinked = RecordFact<'DatasetSourceLinked', LinkedSource>;

export type DatasetSourceUnlinked = RecordFact<
  'DatasetSourceUnlinked',
  { readonly id: string; readonly datasetId: string }
>;

export type ProvenanceFact = DatasetSourceLinked | DatasetSourceUnlinked;
