import type { Micros } from '@app/wire';
import { asMicros, asText, asTuple, asUInt64, type Table } from '../columns.js';

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
    first: asTuple({ seq: asUInt64, at: asMicros, user_id: asText }),
    linked: asTuple({ seq: asUInt64, at: asMicros, metadata: asText }),
    unlinked: asTuple({ seq: asUInt64, at: asMicros }),
    row_digest: asText,
    source_kind: asText,
    source_id: asText,
    source_trace_id: asText,
    source_started_at: asMicros,
    source_name: asText,
  },
};
