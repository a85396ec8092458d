import type { TableMetaRow, TablePositionRow, TableRowRow } from '@app/clickhouse';
import {
  decodeDigestList,
  decodeRowList,
  type Ordered,
  type RowsAdded,
  type TableCreated,
} from '@app/events';

export function rowRows({ projectId, seq, body }: Ordered<RowsAdded>): TableRowRow[] {
  return decodeRowList(body).map(({ digest, val }) => ({
    project_id: projectId,
    digest,
    size_bytes: val.length,
    val,
    seq,
  }));
}

export function positionRows({
  projectId,
  seq,
  data,
  body,
}: Ordered<TableCreated>): TablePositionRow[] {
  return decodeDigestList(body).map((row_digest, i) => ({
    project_id: projectId,
    digest: data.digest,
    position: data.from + i,
    row_digest,
    seq,
  }));
}

export function tableRow({
  projectId,
  receivedAt,
  seq,
  data,
}: Ordered<TableCreated>): TableMetaRow {
  return {
    project_id: projectId,
    digest: data.digest,
    row_count: data.rowCount,
    created_at: receivedAt,
    seq,
  };
}
