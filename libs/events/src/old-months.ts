/**
 * Start of the two newest months, in microseconds. Months are partitions, and an insert creates a part in each partition
 * it writes to. So facts of older months are inserted separately and do not delay the newest ones.
 */
export function startOfNewMonths(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1) * 1000;
}
