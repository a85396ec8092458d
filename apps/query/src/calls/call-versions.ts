import type { CallVersionRow } from './calls.sql.js';

/**
 * The row of a call that is visible: at each start time the newest version wins, as with FINAL. A call whose start was sent twice with
 * different times has rows at several start times, and all but one of them are deleted. The tombstone at an abandoned start time has the
 * version of the row that replaces it, so of equal versions the one that is not deleted wins.
 */
export function newestVersion(rows: readonly CallVersionRow[]): CallVersionRow | undefined {
  const newest = new Map<number, CallVersionRow>();
  for (const row of rows) {
    const started = Number(row.started);
    const known = newest.get(started);
    if (known === undefined || isNewer(row, known)) newest.set(started, row);
  }
  const visible = [...newest.values()].filter((row) => !isDeleted(row));
  return visible.reduce<CallVersionRow | undefined>(
    (found, row) => (found === undefined || isNewer(row, found) ? row : found),
    undefined,
  );
}

const isDeleted = ({ is_deleted }: CallVersionRow) => Number(is_deleted) === 1;

function isNewer(row: CallVersionRow, other: CallVersionRow): boolean {
  if (row.version === other.version) return isDeleted(other) && !isDeleted(row);
  return BigInt(row.version) > BigInt(other.version);
}
