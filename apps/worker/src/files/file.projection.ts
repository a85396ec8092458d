import type { FileRow } from '@app/clickhouse';
import type { FileStored, Ordered } from '@app/events';

export function fileRow({ projectId, receivedAt, seq, data, body }: Ordered<FileStored>): FileRow {
  return {
    project_id: projectId,
    digest: data.digest,
    chunk: data.chunk,
    chunk_count: data.chunkCount,
    size_bytes: data.externalBytes ?? body.length,
    name: data.name,
    bytes: body,
    created_at: receivedAt,
    seq,
  };
}
