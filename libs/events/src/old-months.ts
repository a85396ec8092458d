import { microsOf, millis, type Micros, type Millis } from '@app/wire';

/**
 * Start of the two newest months. Months are partitions, and an insert creates a part in each partition
 * it writes to. So facts of older months are inserted separately and do not delay the newest ones.
 */
export function startOfNewMonths(now: Millis): Micros {
  const today = new Date(now);
  return microsOf(millis(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)));
}
