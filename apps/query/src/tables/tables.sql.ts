import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { Direction } from '@app/contracts';
import { JsonText, sortKeys } from '@app/query-language';
import { NO_LIMIT } from '../paging.js';

export interface SortKey {
  readonly keys: readonly string[];
  readonly direction: Direction;
}

/** A table of a project. */
export interface TableId {
  readonly projectId: string;
  readonly digest: string;
}

/** The rows of a table in an order; with `rowDigests`, only those rows. */
export interface SortedRows extends TableId {
  readonly sort: readonly SortKey[];
  readonly rowDigests: readonly string[] | undefined;
  /** Most rows of the project are in this table, so a scan is cheaper than a lookup of each. */
  readonly isMost: boolean;
}

export interface TableRow {
  readonly position: number;
  readonly row_digest: string;
  /** '' for a row that was never uploaded. */
  readonly val: string;
}

const ofProject = (projectId: string) => sql`project_id = ${bind('String', projectId)}`;

function positions({ projectId, digest }: TableId, more?: Sql): Sql {
  const where = and([ofProject(projectId), sql`digest = ${bind('String', digest)}`, more]);
  return sql`SELECT position, row_digest FROM table_positions FINAL WHERE ${where}`;
}

/** The rows in a range of positions, in order. */
export function rowsBetween(table: TableId, from: number, to: number): Sql {
  const range = sql`position >= ${bind('UInt64', from)} AND position < ${bind('UInt64', to)}`;
  return rowsAt(table, positions(table, range));
}

/** The rows at these positions, in the order of the table. */
export function rowsAmong(table: TableId, among: readonly number[]): Sql {
  const isAmong = sql`position IN ${bind('Array(UInt32)', among)}`;
  return rowsAt(table, positions(table, isAmong));
}

function rowsAt({ projectId }: TableId, places: Sql): Sql {
  return sql`SELECT p.position AS position, p.row_digest AS row_digest, r.val AS val FROM (${places}) AS p
LEFT JOIN (
  SELECT digest, any(table_rows.val) AS val FROM table_rows
  WHERE ${ofProject(projectId)} AND digest IN (SELECT row_digest FROM (${places})) GROUP BY digest
) AS r ON p.row_digest = r.digest
ORDER BY position`;
}

/** The positions of the rows with these digests, in order. */
export function positionsOf(table: TableId, rowDigests: readonly string[]): Sql {
  return sql`${positions(table, amongDigests(rowDigests))} ORDER BY position`;
}

const amongDigests = (digests: readonly string[]) =>
  sql`row_digest IN ${bind('Array(String)', digests)}`;

/**
 * The first `limit` positions of a table in an order, four bytes each. A row that is stored twice until the next merge
 * yields its position twice in succession.
 *
 * The join uses a hash of the digest, which takes a third of the time and memory of the digest itself. It streams the
 * values, and keeps only positions and hashes in memory.
 */
export function sortedPositions(rows: SortedRows, limit: number | undefined): Sql {
  const { projectId, sort, rowDigests, isMost } = rows;
  const places = positions(rows, rowDigests && amongDigests(rowDigests));
  const where = and([
    ofProject(projectId),
    !isMost && sql`digest IN (SELECT row_digest FROM (${places}))`,
  ]);
  const columns = sort.map(({ keys }, i) => sql`${textAt('r.val', keys)} AS key${raw(`${i}`)}`);
  const order = sort.map(({ direction }, i) =>
    sortKeys(new JsonText(raw(`key${i}`), []), direction, ['sort_by', i]),
  );
  return sql`SELECT reinterpretAsFixedString(position) FROM (
  SELECT p.position AS position, ${join(columns, ', ')}
  FROM (SELECT val, sipHash128(digest) AS hash FROM table_rows WHERE ${where}) AS r
  RIGHT JOIN (SELECT position, sipHash128(row_digest) AS hash FROM (${places})) AS p ON r.hash = p.hash
)
ORDER BY ${join(order, ', ')}, position
LIMIT ${bind('UInt64', limit ?? NO_LIMIT)}`;
}

/** `(digest, val)` of these rows. */
export function rowValues(projectId: string, digests: readonly string[]): Sql {
  return sql`SELECT digest, any(val) AS val FROM table_rows
WHERE ${ofProject(projectId)} AND digest IN ${bind('Array(String)', digests)}
GROUP BY digest`;
}

/** `(digest, count)` of those tables that exist. */
export function tableCounts(projectId: string, digests: readonly string[]): Sql {
  return sql`SELECT digest, max(row_count) AS count FROM tables
WHERE ${ofProject(projectId)} AND digest IN ${bind('Array(String)', digests)}
GROUP BY digest`;
}

/** About how many rows a project has in all its tables. */
export function rowCount(projectId: string): Sql {
  return sql`SELECT count() AS count FROM table_rows WHERE ${ofProject(projectId)}`;
}

/** `(digest, bytes)` of each table. A row that occurs twice counts twice. */
export function tableSizes(projectId: string, digests: readonly string[]): Sql {
  const places = sql`SELECT digest, position, row_digest FROM table_positions FINAL
  WHERE ${ofProject(projectId)} AND digest IN ${bind('Array(String)', digests)}`;
  return sql`SELECT p.digest AS digest, sum(r.size * p.places) AS bytes FROM (
  SELECT digest, sipHash128(row_digest) AS hash, count() AS places FROM (${places}) GROUP BY digest, hash
) AS p INNER JOIN (
  SELECT sipHash128(digest) AS hash, any(size_bytes) AS size FROM table_rows
  WHERE ${ofProject(projectId)} GROUP BY hash
) AS r ON p.hash = r.hash
GROUP BY p.digest`;
}

/**
 * The JSON text at a path of a column; '' when there is no value. ClickHouse's own functions find nothing in a text with a
 * number or an escape that they cannot parse. Only then is the text parsed token by token, which takes twenty times as
 * long.
 */
function textAt(column: string, keys: readonly string[]): Sql {
  const quick = quickTextAt(column, keys);
  const exact = new JsonText(raw(column), keys).json();
  return sql`if(${quick} != '', ${quick}, ${exact})`;
}

/** A number is an index in an array and a key in an object. */
function quickTextAt(column: string, keys: readonly string[]): Sql {
  return keys.reduce<Sql>((json, key) => {
    const byKey = sql`JSONExtractRaw(${json}, ${bind('String', key)})`;
    if (!/^\d{1,9}$/.test(key)) return byKey;
    const index = bind('Int64', Number(key) + 1);
    return sql`if(JSONType(${json}) = 'Array', JSONExtractRaw(${json}, ${index}), ${byKey})`;
  }, raw(column));
}
