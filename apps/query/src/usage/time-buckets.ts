import { ProblemError } from '@app/http';
import { microsOf, millisOf, parseTimestamp, printTimestamp, type Millis } from '@app/wire';
import { LocalTime } from './local-time.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const RANGE_MAX_DAYS = 31;
const BUCKETS_MAX = 10_000;

interface TimeRange {
  readonly start: string;
  readonly end?: string | null;
  readonly granularity?: number | null;
  readonly timezone?: string | null;
}

/** A time range in equal buckets of local time. */
export interface TimeBuckets {
  readonly from: Millis;
  readonly to: Millis;
  /** Seconds. */
  readonly granularity: number;
  readonly clock: LocalTime;
  /** The local time (seconds) at which each bucket starts, in order. */
  readonly starts: readonly number[];
}

export function timeBuckets(
  { start, end, granularity, timezone }: TimeRange,
  now: Millis,
): TimeBuckets {
  const from = timestampOf(start);
  const to = end ? timestampOf(end) : now;
  if (to < from) throw invalid(`end (${printed(to)}) is before start (${printed(from)})`);
  if (to - from > RANGE_MAX_DAYS * DAY * 1000) {
    throw invalid(`start and end are more than ${RANGE_MAX_DAYS} days apart`);
  }
  const clock = new LocalTime(timezone || 'UTC');
  const seconds = (to - from) / 1000;
  const step = Math.max(granularity || automatic(seconds), Math.ceil(seconds / BUCKETS_MAX));
  return { from, to, granularity: step, clock, starts: startsOf(clock, from, to, step) };
}

function startsOf(clock: LocalTime, from: Millis, to: Millis, step: number): number[] {
  const starts: number[] = [];
  const first = Math.floor((Math.floor(from / 1000) + clock.offsetAt(from)) / step) * step;
  for (let start = first; clock.utc(start) < to; start += step) starts.push(start);
  return starts;
}

function automatic(seconds: number): number {
  if (seconds <= 2 * HOUR) return 300;
  if (seconds <= 12 * HOUR) return HOUR;
  if (seconds <= 3 * DAY) return 6 * HOUR;
  return seconds <= 14 * DAY ? 12 * HOUR : DAY;
}

const timestampOf = (text: string) => millisOf(parseTimestamp(text)!);
export const printed = (timestamp: Millis) => printTimestamp(microsOf(timestamp));
const invalid = (reason: string) => new ProblemError('invalid_request', `${reason}.`);
