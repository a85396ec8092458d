import { and, bind, sql, type Sql } from './sql.js';

/** A row of `objectVersions`: a version without its value. Numbers may be text. */
export interface VersionRow {
  readonly object_id: string;
  readonly kind: 'object' | 'op';
  readonly digest: string;
  readonly idx: number;
  readonly base: string;
  readonly leaf: string;
  readonly size: number | string;
  /** Sequence numbers of the last publish and the last delete. */
  readonly last_published: number | string;
  readonly last_deleted: number | string;
  /** Microseconds; 0 when it was never deleted. */
  readonly created: number | string;
  readonly deleted: number | string;
  readonly creator: string;
  readonly is_live: number;
  readonly is_latest: number;
}

/** A version without `is_latest`, which depends on the other versions of the same name. */
export type VersionWithoutLatestRow = Omit<VersionRow, 'is_latest'>;

/**
 * All versions of these names, including deleted ones. A version is live when its last publish is newer than its last
 * delete. Reads narrow columns only.
 */
export function versionsWithoutLatest(projectId: string, objectIds?: readonly string[]): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    objectIds && sql`object_id IN ${bind('Array(String)', objectIds)}`,
  ]);
  return sql`SELECT object_id, toString(kind) AS kind, digest, min(version_index) AS idx, max(base_object_class) AS base,
    max(leaf_object_class) AS leaf, max(size_bytes) AS size, max(published) AS last_published,
    max(objects.deleted) AS last_deletion, tupleElement(last_deletion, 1) AS last_deleted,
    toUnixTimestamp64Micro(tupleElement(last_deletion, 2)) AS deleted,
    min(first) AS creation, toUnixTimestamp64Micro(tupleElement(creation, 2)) AS created,
    tupleElement(creation, 3) AS creator, last_published > last_deleted AS is_live
  FROM objects WHERE ${where}
  GROUP BY object_id, kind, digest
  HAVING last_published > 0`;
}

/**
 * As `versionsWithoutLatest`, with `is_latest`: the version of a name that was published last, or the live version that
 * was created last if that one is deleted. Use this as a subquery. It takes ClickHouse twice the time, so for a few names
 * use `versionsWithoutLatest` and `withLatest`.
 */
export function objectVersions(projectId: string, objectIds?: readonly string[]): Sql {
  return sql`SELECT object_id, kind, digest, idx, base, leaf, size, last_published, last_deleted, created, deleted,
  creator, is_live,
  is_live AND digest = if(argMax(is_live, last_published) OVER name, argMax(digest, last_published) OVER name,
    argMax(digest, if(is_live, toInt64(idx), -1)) OVER name) AS is_latest
FROM (
  ${versionsWithoutLatest(projectId, objectIds)}
)
WINDOW name AS (PARTITION BY object_id, kind)`;
}

/** Adds `is_latest` to rows. The rows must include all versions of each name. */
export function withLatest(rows: readonly VersionWithoutLatestRow[]): VersionRow[] {
  const newest = greatest(rows, (row) => Number(row.last_published));
  const newestLive = greatest(
    rows.filter(({ is_live }) => is_live),
    (row) => row.idx,
  );
  return rows.map((row) => {
    const series = seriesOf(row);
    const latest = newest.get(series)?.is_live ? newest.get(series) : newestLive.get(series);
    return { ...row, is_latest: row === latest ? 1 : 0 };
  });
}

/** An op and an object may share a name; each has its own versions. */
const seriesOf = ({ kind, object_id }: VersionWithoutLatestRow) => `${kind} ${object_id}`;

function greatest(
  rows: readonly VersionWithoutLatestRow[],
  by: (row: VersionWithoutLatestRow) => number,
): Map<string, VersionWithoutLatestRow> {
  const found = new Map<string, VersionWithoutLatestRow>();
  for (const row of rows) {
    const other = found.get(seriesOf(row));
    if (other === undefined || by(row) > by(other)) found.set(seriesOf(row), row);
  }
  return found;
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
