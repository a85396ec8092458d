import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { Direction } from '@app/contracts';
import { textAt } from './row-path.js';

export interface SortKey {
  readonly keys: readonly string[];
  readonly direction: Direction;
}

export interface RowsQuestion {
  readonly projectId: string;
  readonly digest: string;
  readonly rowDigests: readonly string[] | undefined;
  readonly sort: readonly SortKey[];
  readonly limit: number | undefined;
  readonly offset: number;
}

export interface PositionRow {
  readonly position: number;
  readonly row_digest: string;
}

const NO_LIMIT = '18446744073709551615';

/**
 * Which rows stand where, in the order asked for. Only digests and sort keys are held for that; values are read after, for
 * the rows that are answered.
 */
export function queryPositions(question: RowsQuestion): Sql {
  const { sort, limit, offset, rowDigests } = question;
  // Without a condition the page is a stretch of the key.
  const isStretch = sort.length === 0 && rowDigests === undefined;
  if (isStretch) return sql`${positions(question, stretch(limit, offset))} ORDER BY position`;
  const window =
    limit === undefined && offset === 0
      ? raw('')
      : sql` LIMIT ${bind('UInt64', limit ?? NO_LIMIT)} OFFSET ${bind('UInt64', offset)}`;
  if (sort.length === 0) return sql`${positions(question)} ORDER BY position${window}`;
  return sql`SELECT p.position AS position, p.row_digest AS row_digest FROM (${positions(question)}) AS p
LEFT JOIN (${sortKeys(question)}) AS r ON p.row_digest = r.digest
ORDER BY ${orderOf(sort)}, p.position${window}`;
}

function positions({ projectId, digest, rowDigests }: RowsQuestion, more?: Sql): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    sql`digest = ${bind('String', digest)}`,
    rowDigests && sql`row_digest IN ${bind('Array(String)', rowDigests)}`,
    more,
  ]);
  return sql`SELECT position, row_digest FROM table_positions FINAL WHERE ${where}`;
}

function stretch(limit: number | undefined, offset: number): Sql {
  const end = limit === undefined ? NO_LIMIT : offset + limit;
  return sql`position >= ${bind('UInt64', offset)} AND position < ${bind('UInt64', end)}`;
}

/** Per row: whether there is a value, the value as a number, the value as text. */
function sortKeys(question: RowsQuestion): Sql {
  const columns = question.sort.map(({ keys }, i) => {
    const text = sql`if(startsWith(raw${raw(`${i}`)}, '"'), JSONExtractString(raw${raw(`${i}`)}), raw${raw(`${i}`)})`;
    return sql`any(${textAt('val', keys)}) AS raw${raw(`${i}`)}, raw${raw(`${i}`)} IN ('', 'null') AS none${raw(`${i}`)},
  ${text} AS text${raw(`${i}`)}, toFloat64OrNull(text${raw(`${i}`)}) AS number${raw(`${i}`)}`;
  });
  return sql`SELECT digest, ${join(columns, ', ')} FROM table_rows
WHERE project_id = ${bind('String', question.projectId)}
  AND digest IN (SELECT row_digest FROM (${positions(question)}))
GROUP BY digest`;
}

/** Values that are there come first in both directions; numbers before texts. */
function orderOf(sort: readonly SortKey[]): Sql {
  const keys = sort.map(
    ({ direction }, i) =>
      `r.none${i} ASC, r.number${i} ${direction} NULLS LAST, r.text${i} ${direction}`,
  );
  return raw(keys.join(', '));
}

/** `(digest, val)` of these rows. */
export function rowValues(projectId: string, digests: readonly string[]): Sql {
  return sql`SELECT digest, any(val) AS val FROM table_rows
WHERE project_id = ${bind('String', projectId)} AND digest IN ${bind('Array(String)', digests)}
GROUP BY digest`;
}

/** `(digest, count)` of the tables there are. */
export function tableCounts(projectId: string, digests: readonly string[]): Sql {
  return sql`SELECT digest, max(row_count) AS count FROM tables
WHERE project_id = ${bind('String', projectId)} AND digest IN ${bind('Array(String)', digests)}
GROUP BY digest`;
}

/** `(digest, bytes)`: what the rows of each table hold, a row that stands twice counted twice. */
export function tableSizes(projectId: string, digests: readonly string[]): Sql {
  const project = bind('String', projectId);
  return sql`SELECT p.digest AS digest, sum(r.size) AS bytes FROM (
  SELECT digest, position, row_digest FROM table_positions FINAL
  WHERE project_id = ${project} AND digest IN ${bind('Array(String)', digests)}
) AS p INNER JOIN (
  SELECT digest, any(size_bytes) AS size FROM table_rows WHERE project_id = ${project} GROUP BY digest
) AS r ON p.row_digest = r.digest
GROUP BY p.digest`;
}
