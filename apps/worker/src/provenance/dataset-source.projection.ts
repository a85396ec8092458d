import type { DatasetSourceRow } from '@app/clickhouse';
import type { DatasetSourceLinked, DatasetSourceUnlinked, Ordered } from '@app/events';
import { micros } from '@app/wire';

const NEVER = micros(0);
/** Greater than every `seq`, because the column keeps the least one. */
const NO_FIRST = { seq: 2n ** 64n - 1n, at: NEVER, user_id: '' };

export function linkedRow(fact: Ordered<DatasetSourceLinked>): DatasetSourceRow {
  const { projectId, userId, receivedAt, seq, data, body } = fact;
  return {
    project_id: projectId,
    dataset_id: data.datasetId,
    id: data.id,
    first: { seq, at: receivedAt, user_id: userId },
    linked: { seq, at: receivedAt, metadata: body },
    unlinked: { seq: 0, at: NEVER },
    row_digest: data.rowDigest,
    source_kind: data.kind,
    source_id: data.sourceId,
    source_trace_id: data.traceId,
    source_started_at: data.startedAt,
    source_name: data.displayName,
  };
}

export function unlinkedRow(fact: Ordered<DatasetSourceUnlinked>): DatasetSourceRow {
  const { projectId, receivedAt, seq, data } = fact;
  return {
    project_id: projectId,
    dataset_id: data.datasetId,
    id: data.id,
    first: NO_FIRST,
    linked: { seq: 0, at: NEVER, metadata: '' },
    unlinked: { seq, at: receivedAt },
    row_digest: '',
    source_kind: '',
    source_id: '',
    source_trace_id: '',
    source_started_at: NEVER,
    source_name: '',
  };
}
