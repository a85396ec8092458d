/**
 * Above these numbers a query for calls is executed in another way. The response does not depend on them, so a test can
 * set them low and let a few calls take every path.
 */
export interface CallThresholds {
  /** A page up to this size is one result of ClickHouse; a larger one is streamed. */
  readonly page: number;
  /** Calls per time window of a stream, each of which is one statement. */
  readonly window: Readonly<Record<'min' | 'first' | 'max', number>>;
  /** A payload search up to this many calls sends their keys back to ClickHouse; a larger one is streamed. */
  readonly found: number;
  /** Up to this many ids of another table become a parameter; more stay a subquery. */
  readonly ids: number;
  /** Up to this many ids are found by the index of ids. */
  readonly fewIds: number;
  /** Calls up to this size are in memory together; of larger ones fewer. */
  readonly bytes: number;
}

export const DEFAULT_CALL_THRESHOLDS: CallThresholds = {
  page: 1000,
  window: { min: 500, first: 1000, max: 64_000 },
  found: 10_000,
  ids: 5000,
  fewIds: 200,
  bytes: 32 * 1024 * 1024,
};

export const CALL_THRESHOLDS = Symbol('call thresholds');
