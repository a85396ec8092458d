import { startOfNewMonths } from '@app/events';
import { parseTimestamp, printTimestamp } from '@app/wire';

const YEAR_2000 = Date.UTC(2000, 0, 1) * 1000;
const ONE_DAY = 86_400_000_000;

interface Times {
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
}

interface Placed {
  readonly corrected: Record<string, string>;
  readonly isOld: boolean;
}

/**
 * The times of a record that a clock far off has put before 2000 or more than a day ahead, corrected: a call must stand
 * where somebody will look for it. Here and not in the fold, so that the correction is part of the fact: the same fact
 * received twice must not stand in two places.
 */
export function placedInTime(record: Times, now: number): Placed {
  const corrected: Record<string, string> = {};
  let isOld = false;
  for (const field of ['started_at', 'ended_at'] as const) {
    const sent = parseTimestamp(record[field] ?? '');
    if (sent === undefined) continue;
    const kept = Math.min(Math.max(sent, YEAR_2000), now + ONE_DAY);
    if (kept !== sent) corrected[field] = printTimestamp(kept);
    if (field === 'started_at') isOld = kept < startOfNewMonths(now / 1000);
  }
  return { corrected, isOld };
}
