import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt64, type Table } from '../row-binary.js';

/** The contribution of one fact to a link. A column that the fact does not set has the value that loses every merge. */
export interface DatasetSourceRow {
  project_id: string;
  dataset_id: string;
  id: string;
  first: { seq: number | bigint; at: Micros; user_id: string };
  /** `metadata` is JSON, or empty. */
  linked: { seq: number; at: Micros; metadata: string | Buffer };
  unlinked: { seq: number; at: Micros };
  row_digest: string;
  source_kind: string;
  source_id: string;
  source_trace_id: string;
  source_started_at: Micros;
  source_name: string;
}

export const DATASET_SOURCES: Table<DatasetSourceRow> = {
  name: 'dataset_sources',
  columns: {
    project_id: asText,
    dataset_id: asText,
    id: asText,
    first: (to, { seq, at, user_id }) => {
      asUInt64(to, seq);
      asMicros(to, at);
      asText(to, user_id);
    },
    linked: (to, { seq, at, metadata }) => {
      asUInt64(to, seq);
      asMicros(to, at);
      asText(to, metadata);
    },
    unlinked: (to, { seq, at }) => {
      asUInt64(to, seq);
      asMicros(to, at);
    },
    row_digest: asText,
    source_kind: asText,
    source_id: asText,
    source_trace_id: asText,
    source_started_at: asMicros,
    source_name: asText,
  },
};
