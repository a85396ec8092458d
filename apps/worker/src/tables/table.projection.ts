import type { TableMetaRow, TablePositionRow, TableRowRow } from '@app/clickhouse';
import {
  decodeDigestList,
  decodeRowList,
  type Ordered,
  type RowsAdded,
  type TableCreated,
} from '@app/events';

export function rowRows({ projectId, body }: Ordered<RowsAdded>): TableRowRow[] {
  return decodeRowList(body).map(({ digest, val }) => ({
    project_id: projectId,
    digest,
    size_bytes: val.length,
    val,
  }));
}

export function positionRows({ projectId, data, body }: Ordered<TableCreated>): TablePositionRow[] {
  return decodeDigestList(body).map((row_digest, i) => ({
    project_id: projectId,
    digest: data.digest,
    position: data.from + i,
    row_digest,
  }));
}

export function tableRow({ projectId, receivedAt, data }: Ordered<TableCreated>): TableMetaRow {
  return {
    project_id: projectId,
    digest: data.digest,
    row_count: data.rowCount,
    created_at: receivedAt,
  };
}
