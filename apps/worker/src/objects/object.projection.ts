import type { ObjectAliasRow, ObjectRow, ObjectTagRow } from '@app/clickhouse';
import type {
  AliasChanged,
  ObjectDeleted,
  ObjectPublished,
  Ordered,
  TagChanged,
} from '@app/events';
import { micros } from '@app/wire';

/** Greater than every version index and every `seq`, because the columns keep the least one. */
const NO_INDEX = 2 ** 32 - 1;
const NO_FIRST = { seq: 2n ** 64n - 1n, at: micros(0), user_id: '' };

export function publishedRow(fact: Ordered<ObjectPublished>): ObjectRow {
  const { projectId, userId, receivedAt, seq, versionIndex, data, body } = fact;
  return {
    project_id: projectId,
    object_id: data.objectId,
    kind: data.kind,
    digest: data.digest,
    version_index: versionIndex,
    first: { seq, at: receivedAt, user_id: userId },
    published: seq,
    deleted: { seq: 0, at: micros(0) },
    base_object_class: data.baseClass,
    leaf_object_class: data.leafClass,
    size_bytes: body.length,
    val: body,
  };
}

export function deletedRow({
  projectId,
  receivedAt,
  seq,
  data,
}: Ordered<ObjectDeleted>): ObjectRow {
  return {
    project_id: projectId,
    object_id: data.objectId,
    kind: data.kind,
    digest: data.digest,
    version_index: NO_INDEX,
    first: NO_FIRST,
    published: 0,
    deleted: { seq, at: receivedAt },
    base_object_class: '',
    leaf_object_class: '',
    size_bytes: 0,
    val: Buffer.alloc(0),
  };
}

export function tagRow({ projectId, seq, data }: Ordered<TagChanged>): ObjectTagRow {
  return {
    project_id: projectId,
    object_id: data.objectId,
    digest: data.digest,
    tag: data.tag,
    changed: { seq, is_set: data.isSet ? 1 : 0 },
  };
}

export function aliasRow({ projectId, seq, data }: Ordered<AliasChanged>): ObjectAliasRow {
  return {
    project_id: projectId,
    object_id: data.objectId,
    alias: data.alias,
    changed: { seq, digest: data.digest },
  };
}
