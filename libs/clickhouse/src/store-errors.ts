import { ClickHouseError } from '@clickhouse/client';
import { HeddleError } from '@app/errors';
import { counter } from '@app/observability';

/**
 * Codes that a value can cause: text, numbers, dates, enums and UUIDs that ClickHouse cannot parse or convert (6, 25, 26,
 * 27, 38, 41, 69, 70, 72, 376, 441, 457, 467, 691), values outside the range of their column (321, 349, 407, 469), arrays
 * and texts that are malformed or too large (117, 128, 130, 131, 190). Only these codes can make a fact a dead letter. The
 * codes of an incomplete request (32, 33) are not among them, because a broken connection causes them too.
 */
const VALUE_CODES = new Set([
  6, 25, 26, 27, 38, 41, 69, 70, 72, 117, 128, 130, 131, 190, 321, 349, 376, 407, 441, 457, 467,
  469, 691,
]);

/**
 * Transient codes that a busy, full, restarting or partitioned server is known to send: too many parts, memory, too many
 * queries, timeouts, sockets, Keeper, replicas, shutdown, disk, credentials, and a table that a rebuild has just exchanged.
 */
const TRANSIENT_CODES = new Set([
  3, 74, 75, 76, 159, 160, 164, 201, 202, 203, 209, 210, 219, 225, 236, 241, 242, 243, 244, 252,
  254, 279, 285, 286, 305, 306, 319, 335, 364, 373, 394, 396, 410, 415, 416, 425, 439, 499, 516,
  517, 598, 733, 741, 745, 999, 1000, 1001, 1002,
]);

/**
 * Codes that an operator has to fix: missing tables or columns before a migration (8, 10, 16, 47, 60, 81), unknown or
 * forbidden settings (115, 452), users and grants (192 to 195, 497).
 */
const OPERATOR_CODES = new Set([8, 10, 16, 47, 60, 81, 115, 192, 193, 194, 195, 452, 497]);
const OPERATOR_HINT =
  'ClickHouse lacks a table, column, setting or grant that this version needs: run `migrate`, or add the grant.';

/**
 * Codes of a part that ClickHouse cannot read: its checksum differs (40), a file is missing (226) or empty (246).
 * A merge that ran out of disk space leaves such a part, and the next start of ClickHouse replaces it by the parts it was
 * merged from. No value and no query causes these codes.
 */
const UNREADABLE_PART_CODES = new Set([40, 226, 246]);
const UNREADABLE_PART_HINT =
  'ClickHouse cannot read a part of a table; see docs/operations/disk-full.md.';

const UNEXPECTED = counter(
  'heddle_clickhouse_unexpected_errors_total',
  'Errors of ClickHouse whose code is not classified; the statement is retried.',
  ['code'],
);

/** ClickHouse cannot execute the statement now. Retry. */
export class StoreUnavailableError extends HeddleError {
  readonly code = 'storage_unavailable';
  constructor(
    message: string,
    options?: ErrorOptions,
    /** Whether the reason is not a known one, so that an operator has to look. The statement is retried all the same. */
    readonly isUnexpected = false,
  ) {
    super(message, options);
  }
}

/** ClickHouse refuses the statement. A retry fails again. */
export class StoreRefusedError extends HeddleError {
  readonly code = 'storage_refused';
  constructor(
    message: string,
    /** ClickHouse's own number for the error; 0 when the rows could not be encoded. */
    readonly serverCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A query exceeded its time limit. A retry fails again; a smaller query may succeed. */
export class QueryTimeoutError extends HeddleError {
  readonly code = 'query_timeout';
}

/** A query exceeded its memory or row limit, or is too complex to plan. */
export class QueryTooLargeError extends HeddleError {
  readonly code = 'query_too_large';
}

const TIMEOUT = [159, 160];
/** Limits on rows, bytes and results, then on the depth and size of a statement and the time to parse it. */
const TOO_LARGE = [158, 307, 396, 167, 168, 306, 718];
const MEMORY = 241;
const SYNTAX = 62;

const TOOK_TOO_LONG = 'the query exceeded its time limit';

/**
 * As `queryError`, for a stream that has taken `seconds`. When its reader is slow, ClickHouse may close the connection of a query
 * that exceeded its time limit before it has sent the error.
 */
export function streamError(error: unknown, seconds: number, maxSeconds = 0): HeddleError {
  const isOverdue = maxSeconds > 0 && seconds >= maxSeconds;
  if (isOverdue && !isServerError(error))
    return new QueryTimeoutError(TOOK_TOO_LONG, { cause: error });
  return queryError(error);
}

/** As `storeError`, for a query, which has its own limits. */
export function queryError(error: unknown): HeddleError {
  const code = error instanceof ClickHouseError ? Number(error.code) : 0;
  const options = { cause: error };
  if (TIMEOUT.includes(code)) return new QueryTimeoutError(TOOK_TOO_LONG, options);
  const isOwnMemory = code === MEMORY && !(error as Error).message.includes('(total)');
  const isTooLong = code === SYNTAX && (error as Error).message.includes('Max query size exceeded');
  if (isOwnMemory || isTooLong || TOO_LARGE.includes(code))
    return new QueryTooLargeError('the query exceeded its size limit', options);
  // A client's expression can cause other codes too, and a retry of the same query fails again.
  if (code !== 0 && !isExpected(code))
    return new StoreRefusedError((error as Error).message, code, options);
  return storeError(error);
}

/** True for an error that ClickHouse itself sent, and not the connection to it. */
export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError;

/**
 * Classifies an error of the ClickHouse client by its code. The only place that does so. The worker retries a fact until it
 * is stored, unless a value of the fact can have caused the error.
 */
export function storeError(error: unknown): StoreUnavailableError | StoreRefusedError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ClickHouseError ? Number(error.code) : 0;
  const options = { cause: error };
  if (VALUE_CODES.has(code)) return new StoreRefusedError(message, code, options);
  if (OPERATOR_CODES.has(code))
    return new StoreUnavailableError(`${OPERATOR_HINT} ClickHouse reported: ${message}`, options);
  if (UNREADABLE_PART_CODES.has(code))
    return new StoreUnavailableError(
      `${UNREADABLE_PART_HINT} ClickHouse reported: ${message}`,
      options,
    );
  const isUnexpected = code !== 0 && !isExpected(code);
  if (isUnexpected) UNEXPECTED.inc({ code: String(code) });
  return new StoreUnavailableError(message, options, isUnexpected);
}

const isExpected = (code: number) =>
  [TRANSIENT_CODES, OPERATOR_CODES, UNREADABLE_PART_CODES].some((codes) => codes.has(code));
