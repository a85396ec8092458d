import type { Micros } from '@app/wire';
import {
  asEnum8,
  asMicros,
  asText,
  asTuple,
  asUInt32,
  asUInt64,
  asUInt8,
  type Table,
} from '../columns.js';

const OBJECT_KIND = { object: 1, op: 2 } as const;

/** The contribution of one fact to a version. A column that the fact does not set has the value that loses every merge. */
export interface ObjectRow {
  project_id: string;
  object_id: string;
  kind: keyof typeof OBJECT_KIND;
  digest: string;
  version_index: number;
  first: { seq: number | bigint; at: Micros; user_id: string };
  published: number;
  deleted: { seq: number; at: Micros };
  base_object_class: string;
  leaf_object_class: string;
  size_bytes: number;
  val: Buffer;
}

const asFirst = asTuple({ seq: asUInt64, at: asMicros, user_id: asText });

const asDeleted = asTuple({ seq: asUInt64, at: asMicros });

export const OBJECTS: Table<ObjectRow> = {
  name: 'objects',
  columns: {
    project_id: asText,
    object_id: asText,
    kind: asEnum8(OBJECT_KIND),
    digest: asText,
    version_index: asUInt32,
    first: asFirst,
    published: asUInt64,
    deleted: asDeleted,
    base_object_class: asText,
    leaf_object_class: asText,
    size_bytes: asUInt64,
    val: asText,
  },
};

export interface ObjectTagRow {
  project_id: string;
  object_id: string;
  digest: string;
  tag: string;
  changed: { seq: number; is_set: number };
}

export const OBJECT_TAGS: Table<ObjectTagRow> = {
  name: 'object_tags',
  columns: {
    project_id: asText,
    object_id: asText,
    digest: asText,
    tag: asText,
    changed: asTuple({ seq: asUInt64, is_set: asUInt8 }),
  },
};

export interface ObjectAliasRow {
  project_id: string;
  object_id: string;
  alias: string;
  changed: { seq: number; digest: string };
}

export const OBJECT_ALIASES: Table<ObjectAliasRow> = {
  name: 'object_aliases',
  columns: {
    project_id: asText,
    object_id: asText,
    alias: asText,
    changed: asTuple({ seq: asUInt64, digest: asText }),
  },
};
