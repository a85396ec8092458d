import { and, bind, sql, type Sql } from './sql.js';

/** A version without its value, as `objectVersions` answers it. Numbers may come as text. */
export interface VersionRow {
  readonly object_id: string;
  readonly kind: 'object' | 'op';
  readonly digest: string;
  readonly idx: number;
  readonly base: string;
  readonly leaf: string;
  readonly size: number | string;
  /** Seq of the newest publishing and of the newest deletion. */
  readonly last_published: number | string;
  readonly last_deleted: number | string;
  /** Microseconds; 0 when it was never deleted. */
  readonly created: number | string;
  readonly deleted: number | string;
  readonly creator: string;
  readonly is_live: number;
  readonly is_latest: number;
}

/**
 * All versions of a project's names, dead ones too, with what follows from their facts: a version lives while its newest
 * publishing is newer than its newest deletion. Latest is the one published last; if that one is dead, the living one
 * that was created last. Reads narrow columns only.
 */
export function objectVersions(projectId: string, objectIds?: readonly string[]): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    objectIds && sql`object_id IN ${bind('Array(String)', objectIds)}`,
  ]);
  return sql`SELECT object_id, kind, digest, idx, base, leaf, size, last_published, last_deleted, created, deleted,
  creator, is_live,
  is_live AND digest = if(argMax(is_live, last_published) OVER name, argMax(digest, last_published) OVER name,
    argMax(digest, if(is_live, toInt64(idx), -1)) OVER name) AS is_latest
FROM (
  SELECT object_id, toString(kind) AS kind, digest, min(version_index) AS idx, max(base_object_class) AS base,
    max(leaf_object_class) AS leaf, max(size_bytes) AS size, max(published) AS last_published,
    max(objects.deleted) AS last_deletion, tupleElement(last_deletion, 1) AS last_deleted,
    toUnixTimestamp64Micro(tupleElement(last_deletion, 2)) AS deleted,
    min(first) AS creation, toUnixTimestamp64Micro(tupleElement(creation, 2)) AS created,
    tupleElement(creation, 3) AS creator, last_published > last_deleted AS is_live
  FROM objects WHERE ${where}
  GROUP BY object_id, kind, digest
  HAVING last_published > 0
)
WINDOW name AS (PARTITION BY object_id, kind)`;
}

/** `(object_id, alias, digest, seq)` of all aliases that are set. */
export function objectAliases(projectId: string, objectIds?: readonly string[]): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    objectIds && sql`object_id IN ${bind('Array(String)', objectIds)}`,
  ]);
  return sql`SELECT object_id, alias, tupleElement(max(changed), 2) AS digest, tupleElement(max(changed), 1) AS seq
FROM object_aliases WHERE ${where} GROUP BY object_id, alias HAVING digest != ''`;
}

/** `(object_id, digest, tag, seq)` of all tags that are set. */
export function objectTags(projectId: string): Sql {
  return sql`SELECT object_id, digest, tag, tupleElement(max(changed), 1) AS seq
FROM object_tags WHERE project_id = ${bind('String', projectId)}
GROUP BY object_id, digest, tag HAVING tupleElement(max(changed), 2) = 1`;
}
