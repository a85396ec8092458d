import {
  and,
  bind,
  join,
  objectAliases,
  objectTags,
  objectVersions,
  raw,
  sql,
  versionsWithoutLatest,
  type Bound,
  type Sql,
  type VersionRow,
} from '@app/clickhouse';
import type { Direction, ObjectsFilter } from '@app/contracts';
import { limitClause, type Page } from '../paging.js';

/** A row that a version's record is made from. */
export interface ObjectRow extends VersionRow {
  /** Absent when only metadata was requested. */
  readonly val?: string;
  readonly tags?: readonly string[];
  readonly aliases?: readonly string[];
}

export interface ObjectsQuery extends Page {
  readonly projectId: string;
  readonly filter: ObjectsFilter;
  readonly sort: readonly (readonly [field: 'object_id' | 'created_at', direction: Direction])[];
  readonly withVal: boolean;
  readonly withNames: boolean;
  /** Deleted versions are read only to report when they were deleted. */
  readonly withDeleted: boolean;
}

/** One page of the matching versions. Values are read for that page only. */
export function queryObjects(query: ObjectsQuery): Sql {
  const page = pageSql(query);
  if (!query.withVal) return page;
  const project = bind('String', query.projectId);
  return sql`SELECT page.*, vals.val AS val FROM (${page}) AS page
LEFT JOIN (
  SELECT object_id, toString(kind) AS kind, digest, max(objects.val) AS val FROM objects
  WHERE project_id = ${project} AND (object_id, toString(kind), digest) IN (
    SELECT object_id, kind, digest FROM (${page}))
  GROUP BY object_id, kind, digest
) AS vals USING (object_id, kind, digest)
ORDER BY ${orderOf(query.sort)}`;
}

function pageSql(query: ObjectsQuery): Sql {
  const { projectId, filter, sort } = query;
  const versions = objectVersions(projectId, nonEmpty(filter.object_ids));
  const source = needsNames(query) ? withNames(projectId, versions) : sql`(${versions})`;
  return sql`SELECT * FROM ${source} WHERE ${objectsWhere(query)} ORDER BY ${orderOf(sort)}${limitClause(query)}`;
}

/** Whether tags and aliases are selected or decide which versions match. */
export const needsNames = ({ withNames, filter }: ObjectsQuery) =>
  withNames || Boolean(nonEmpty(filter.tags) ?? nonEmpty(filter.aliases));

/**
 * The versions of the project, or of the names in the filter, also those that do not match. At most `limit`, in any order. ClickHouse
 * refuses the statement before it reads anything when more than `maxRows` rows could be read.
 */
export const versionsUpTo = (
  limit: number,
  maxRows: number,
  { projectId, filter }: Pick<ObjectsQuery, 'projectId' | 'filter'>,
): Sql =>
  sql`${versionsWithoutLatest(projectId, nonEmpty(filter.object_ids))}
LIMIT ${bind('UInt64', limit)} SETTINGS max_rows_to_read = ${raw(String(maxRows))}`;

const VERSION_COLUMNS = [
  ...['object_id', 'kind', 'digest', 'idx', 'base', 'leaf', 'size', 'last_published'],
  ...['last_deleted', 'created', 'deleted', 'creator', 'is_live', 'is_latest'],
];

/** Tags and aliases from before the version's last deletion do not count. `latest` is an alias that the server sets. */
function withNames(projectId: string, versions: Sql): Sql {
  return sql`(
  SELECT ${raw(VERSION_COLUMNS.map((column) => `v.${column} AS ${column}`).join(', '))},
    arraySort(arrayMap(x -> x.1, arrayFilter(x -> x.2 > v.last_deleted, t.found))) AS tags,
    arrayConcat(if(v.is_latest, ['latest'], []),
      arraySort(arrayMap(x -> x.1, arrayFilter(x -> x.2 > v.last_deleted, a.found)))) AS aliases
  FROM (${versions}) AS v
  LEFT JOIN (SELECT object_id, digest, groupArray((tag, seq)) AS found FROM (${objectTags(projectId)})
    GROUP BY object_id, digest) AS t USING (object_id, digest)
  LEFT JOIN (SELECT object_id, digest, groupArray((alias, seq)) AS found FROM (${objectAliases(projectId)})
    GROUP BY object_id, digest) AS a USING (object_id, digest)
)`;
}

/** An empty list is not a condition, as in every filter of the wire. */
const nonEmpty = (list: readonly string[] | null | undefined) => (list?.length ? list : undefined);

function objectsWhere({ filter, withDeleted }: ObjectsQuery): Sql {
  const { is_op } = filter;
  const listed = (
    list: readonly string[] | null | undefined,
    condition: (values: Bound) => Sql,
  ): Sql | undefined => nonEmpty(list) && condition(bind('Array(String)', list));
  return and([
    !withDeleted && raw('is_live'),
    filter.latest_only && raw('is_latest'),
    typeof is_op === 'boolean' && sql`(kind = 'op') = ${bind('Bool', is_op)}`,
    listed(filter.base_object_classes, (classes) => sql`base IN ${classes}`),
    listed(filter.exclude_base_object_classes, (classes) => sql`base NOT IN ${classes}`),
    listed(filter.leaf_object_classes, (classes) => sql`leaf IN ${classes}`),
    listed(filter.tags, (tags) => sql`hasAny(tags, ${tags})`),
    listed(filter.aliases, (aliases) => sql`hasAny(aliases, ${aliases})`),
  ]);
}

const COLUMN = { object_id: 'object_id', created_at: 'created' } as const;

/** A total order, so that pages neither overlap nor leave gaps. */
function orderOf(sort: ObjectsQuery['sort']): Sql {
  const keys = sort.map(([field, direction]) => `${COLUMN[field]} ${direction}`);
  const rest = ['created', 'object_id', 'idx', 'kind'];
  return join([...keys, ...rest].map(raw), ', ');
}

/** `(object_id, digest, val)` of those versions that exist. */
export function objectValues(
  projectId: string,
  versions: readonly (readonly [objectId: string, digest: string])[],
): Sql {
  const texts = (values: readonly string[]) => bind('Array(String)', values);
  return sql`SELECT object_id, digest, max(objects.val) AS val FROM objects
WHERE project_id = ${bind('String', projectId)}
  AND object_id IN ${texts([...new Set(versions.map(([objectId]) => objectId))])}
  AND digest IN ${texts([...new Set(versions.map(([, digest]) => digest))])}
GROUP BY object_id, digest`;
}

/** The distinct tags or aliases of versions that are not deleted. */
export function namesInUse(projectId: string, what: 'tags' | 'aliases'): Sql {
  const versions = withNames(projectId, objectVersions(projectId));
  return sql`SELECT DISTINCT arrayJoin(${raw(what)}) AS name FROM ${versions} WHERE is_live ORDER BY name`;
}
