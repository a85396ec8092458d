import type { Explanation } from '../api/types.js';

export interface Work {
  readonly rows: number;
  readonly bytes: number;
  /** Names of the indexes that ClickHouse used. */
  readonly indexes: readonly string[];
}

/** The work of all statements of a response. */
export function workOf(explanation: readonly Explanation[]): Work {
  return {
    rows: explanation.reduce((sum, { rows_read }) => sum + rows_read, 0),
    bytes: explanation.reduce((sum, { bytes_read }) => sum + bytes_read, 0),
    indexes: [...new Set(explanation.flatMap(({ indexes }) => indexesIn(indexes)))],
  };
}

/** `EXPLAIN indexes = 1` has a line `PrimaryKey`, and for any other index a line with its name. */
function indexesIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    if (line.trim() === 'PrimaryKey') return ['primary key'];
    return /^\s*Name: (\w+)$/.exec(line)?.[1] ?? [];
  });
}

const SLOW_MS = 1_000;

interface List {
  readonly hasRange: boolean;
  readonly searchesText: boolean;
  readonly isSortedByTime: boolean;
}

/** What would make a slow list faster. */
export function slowHint(tookMs: number, list: List): string | undefined {
  if (tookMs < SLOW_MS) return undefined;
  if (list.searchesText && !list.hasRange) {
    return 'Searching for text reads every payload: choose a time range.';
  }
  if (!list.isSortedByTime) return 'This order has to read every match: sort by Started.';
  if (!list.hasRange) return 'A time range would read less.';
  return 'A shorter time range, or a condition on op, trace or thread, would read less.';
}
