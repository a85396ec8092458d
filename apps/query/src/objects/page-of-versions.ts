import type { VersionRow } from '@app/clickhouse';
import type { ObjectsFilter } from '@app/contracts';
import type { ObjectsQuery } from './objects.sql.js';

/**
 * The page that `queryObjects` selects, for a query without tags and aliases. `versions` are all versions of the project, or of the
 * names in the filter, including deleted ones, which are not on the page.
 */
export function pageOfVersions(
  versions: readonly VersionRow[],
  { filter, sort, limit, offset }: Pick<ObjectsQuery, 'filter' | 'sort' | 'limit' | 'offset'>,
): VersionRow[] {
  const conditions = conditionsOf(filter);
  const found = versions.filter(
    (row) => row.is_live === 1 && conditions.every((holds) => holds(row)),
  );
  return sorted(found, sort).slice(offset, limit === undefined ? undefined : offset + limit);
}

type Condition = (row: VersionRow) => boolean;

function conditionsOf(filter: ObjectsFilter): Condition[] {
  const {
    latest_only,
    is_op,
    base_object_classes,
    exclude_base_object_classes,
    leaf_object_classes,
    // The versions are of these names already.
    object_ids: _names,
    // Without tags and aliases, as promised.
    tags: _tags,
    aliases: _aliases,
    ...others
  } = filter;
  others satisfies Record<string, never>;
  return [
    ...(latest_only ? [(row: VersionRow) => row.is_latest === 1] : []),
    ...(typeof is_op === 'boolean' ? [(row: VersionRow) => (row.kind === 'op') === is_op] : []),
    ...listed(base_object_classes, (classes) => (row) => classes.has(row.base)),
    ...listed(exclude_base_object_classes, (classes) => (row) => !classes.has(row.base)),
    ...listed(leaf_object_classes, (classes) => (row) => classes.has(row.leaf)),
  ];
}

/** An empty list is not a condition. */
const listed = (
  list: readonly string[] | null | undefined,
  condition: (values: ReadonlySet<string>) => Condition,
) => (list?.length ? [condition(new Set(list))] : []);

/** A version with its name as ClickHouse compares texts: JavaScript compares units of UTF-16, which is another order beyond U+FFFF. */
interface Named {
  readonly row: VersionRow;
  readonly name: Buffer;
}

type Comparison = (a: Named, b: Named) => number;

const BY_NAME: Comparison = (a, b) => Buffer.compare(a.name, b.name);
const BY_CREATION: Comparison = (a, b) => Number(a.row.created) - Number(b.row.created);
const BY_INDEX: Comparison = (a, b) => a.row.idx - b.row.idx;
/** `object` before `op`. */
const BY_KIND: Comparison = (a, b) => Number(a.row.kind === 'op') - Number(b.row.kind === 'op');
const BY = { object_id: BY_NAME, created_at: BY_CREATION };

function sorted(rows: readonly VersionRow[], sort: ObjectsQuery['sort']): VersionRow[] {
  const given = sort.map(([field, direction]): Comparison => {
    const by = BY[field];
    return direction === 'desc' ? (a, b) => by(b, a) : by;
  });
  const comparisons = [...given, BY_CREATION, BY_NAME, BY_INDEX, BY_KIND];
  const order: Comparison = (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const named = rows.map((row) => ({ row, name: Buffer.from(row.object_id) }));
  return named.sort(order).map(({ row }) => row);
}
