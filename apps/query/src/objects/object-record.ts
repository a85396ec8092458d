import { printTimestamp } from '@app/wire';
import type { ObjectRow } from './objects.sql.js';

/** The wire's object version as JSON text; the value is spliced in as the text it was published as. */
export function objectRecord(projectId: string, row: ObjectRow, withSize = false): string {
  const deleted = Number(row.deleted);
  const plain = {
    project_id: projectId,
    object_id: row.object_id,
    created_at: printTimestamp(Number(row.created)),
    deleted_at: row.is_live || deleted === 0 ? null : printTimestamp(deleted),
    digest: row.digest,
    version_index: row.idx,
    is_latest: row.is_latest,
    kind: row.kind,
    base_object_class: row.base || null,
    leaf_object_class: row.leaf || null,
    wb_user_id: row.creator || null,
    size_bytes: withSize ? Number(row.size) : null,
    tags: row.tags ?? null,
    aliases: row.aliases ?? null,
  };
  return `${JSON.stringify(plain).slice(0, -1)},"val":${row.val ?? '{}'}}`;
}
