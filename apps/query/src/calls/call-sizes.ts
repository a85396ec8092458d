/**
 * From how many on a question about calls is put in another way. The answer does not depend on it: tests have small
 * numbers here, so that few calls take every way.
 */
export interface CallSizes {
  /** A page up to here is one answer of ClickHouse; more is streamed. */
  readonly page: number;
  /** Calls that are read by one statement while streaming: at first, and as it goes. */
  readonly stretch: Readonly<Record<'least' | 'first' | 'most', number>>;
  /** More than this are not found but streamed: they are too many to carry back to ClickHouse. */
  readonly found: number;
  /** More ids than this are looked up by ClickHouse in the statement that needs them. */
  readonly ids: number;
  /** So few ids lead to their calls by the index of ids. */
  readonly fewIds: number;
}

export const USUAL_SIZES: CallSizes = {
  page: 1000,
  stretch: { least: 500, first: 1000, most: 64_000 },
  found: 10_000,
  ids: 5000,
  fewIds: 200,
};

export const CALL_SIZES = Symbol('sizes of questions about calls');
