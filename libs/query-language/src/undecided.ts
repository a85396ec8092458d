import { raw, type Sql } from '@app/clickhouse';

/**
 * Rows for which the scalar index alone cannot decide a condition, and how they are found: rows written before unindexed
 * paths were recorded (`age`), rows with the path among their unindexed paths (`unindexed`), or rows with certain leaves
 * (`leaf`). The first two have a skip index each, which ClickHouse uses only when the condition stands alone.
 */
export interface Undecided {
  readonly by: 'age' | 'unindexed' | 'leaf';
  readonly rows: Sql;
}

/** For a path without any leaves: every row is undecided. */
export const ALWAYS_UNDECIDED: Undecided = { by: 'leaf', rows: raw('true') };
