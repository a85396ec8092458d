/**
 * Where the two newest months begin, in microseconds, at a moment in milliseconds. Months are partitions, and every
 * partition of an insert is a part: what stands in older ones is written apart from what everybody is waiting for.
 */
export function startOfNewMonths(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1) * 1000;
}
