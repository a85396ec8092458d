import { raw, type Sql } from '@app/clickhouse';

/**
 * Rows of which leaves alone cannot tell, and what they are found by: rows from before there was a rest (`age`), rows
 * with a path among their rest (`rest`), or a look at the leaves (`leaf`). The first two have an index each, which helps
 * only while nothing else stands beside it.
 */
export interface Undecided {
  readonly by: 'age' | 'rest' | 'leaf';
  readonly rows: Sql;
}

/** The doubt about a path of which no leaf knows anything. */
export const ALWAYS_UNDECIDED: Undecided = { by: 'leaf', rows: raw('true') };
