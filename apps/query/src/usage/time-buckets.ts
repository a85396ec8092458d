import { ProblemError } from '@app/http';
import { parseTimestamp, printTimestamp } from '@app/wire';
import { LocalTime } from './local-time.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const RANGE_MAX_DAYS = 31;
const BUCKETS_MAX = 10_000;

interface Window {
  readonly start: string;
  readonly end?: string | null;
  readonly granularity?: number | null;
  readonly timezone?: string | null;
}

/** A stretch of time in equal steps, as clocks in its time zone show them. */
export interface TimeBuckets {
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Seconds. */
  readonly granularity: number;
  readonly clock: LocalTime;
  /** What clocks show when each begins (seconds), in order. */
  readonly starts: readonly number[];
}

export function timeBuckets(
  { start, end, granularity, timezone }: Window,
  now: number,
): TimeBuckets {
  const from = millis(start);
  const to = end ? millis(end) : now;
  if (to < from) throw bad(`end (${printed(to)}) is before start (${printed(from)})`);
  if (to - from > RANGE_MAX_DAYS * DAY * 1000) {
    throw bad(`start and end are more than ${RANGE_MAX_DAYS} days apart`);
  }
  const clock = new LocalTime(timezone || 'UTC');
  const seconds = (to - from) / 1000;
  const step = Math.max(granularity || automatic(seconds), Math.ceil(seconds / BUCKETS_MAX));
  return { from, to, granularity: step, clock, starts: startsOf(clock, from, to, step) };
}

function startsOf(clock: LocalTime, from: number, to: number, step: number): number[] {
  const starts: number[] = [];
  const first = Math.floor((Math.floor(from / 1000) + clock.offsetAt(from)) / step) * step;
  for (let start = first; clock.momentOf(start) < to; start += step) starts.push(start);
  return starts;
}

function automatic(seconds: number): number {
  if (seconds <= 2 * HOUR) return 300;
  if (seconds <= 12 * HOUR) return HOUR;
  if (seconds <= 3 * DAY) return 6 * HOUR;
  return seconds <= 14 * DAY ? 12 * HOUR : DAY;
}

const millis = (instant: string) => Math.floor(parseTimestamp(instant)! / 1000);
export const printed = (ms: number) => printTimestamp(ms * 1000);
const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
