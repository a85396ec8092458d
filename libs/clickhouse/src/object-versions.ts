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

/** A version as one's own facts make it; which one is latest, only all versions of its name can tell. */
export type LoneVersionRow = Omit<VersionRow, 'is_latest'>;

/**
 * All versions of a project's names, dead ones too, with what follows from their facts: a version lives while its newest
 * publishing is newer than its newest deletion. Reads narrow columns only.
 */
export function loneVersions(projectId: string, objectIds?: readonly string[]): Sql {
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
 * The same with `is_latest`: the version of a name that was published last; if that one is dead, the living one that was
 * created last. For questions that go on from there; it takes ClickHouse twice the time, so whoever wants a few names
 * asks for `loneVersions` and `withLatest`.
 */
export function objectVersions(projectId: string, objectIds?: readonly string[]): Sql {
  return sql`SELECT object_id, kind, digest, idx, base, leaf, size, last_published, last_deleted, created, deleted,
  creator, is_live,
  is_live AND digest = if(argMax(is_live, last_published) OVER name, argMax(digest, last_published) OVER name,
    argMax(digest, if(is_live, toInt64(idx), -1)) OVER name) AS is_latest
FROM (
  ${loneVersions(projectId, objectIds)}
)
WINDOW name AS (PARTITION BY object_id, kind)`;
}

/** Says of every version whether it is the latest of its name; all versions of a name must be among them. */
export function withLatest(rows: readonly LoneVersionRow[]): VersionRow[] {
  const newest = greatest(rows, (row) => Number(row.last_published));
  const living = greatest(
    rows.filter(({ is_live }) => is_live),
    (row) => row.idx,
  );
  return rows.map((row) => {
    const series = seriesOf(row);
    const latest = newest.get(series)?.is_live ? newest.get(series) : living.get(series);
    return { ...row, is_latest: row === latest ? 1 : 0 };
  });
}

/** An op and an object may share a name; their versions are counted apart. */
const seriesOf = ({ kind, object_id }: LoneVersionRow) => `${kind} ${object_id}`;

function greatest(
  rows: readonly LoneVersionRow[],
  by: (row: LoneVersionRow) => number,
): Map<string, LoneVersionRow> {
  const found = new Map<string, LoneVersionRow>();
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
