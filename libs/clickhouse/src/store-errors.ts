import { ClickHouseError } from '@clickhouse/client';

/**
 * ClickHouse codes that say "not now" rather than "never": too many parts, memory, too many queries, timeouts, sockets,
 * Keeper, replicas, shutdown, disk, and credentials. A fact is retried for as long as it takes and is never given up for
 * one of these.
 */
const TRANSIENT_CODES = new Set([
  3, 74, 75, 76, 159, 160, 164, 201, 202, 203, 209, 210, 219, 225, 236, 241, 242, 243, 244, 252,
  254, 279, 285, 286, 305, 306, 319, 335, 364, 373, 394, 396, 410, 415, 416, 425, 439, 499, 516,
  517, 598, 733, 745, 999, 1000, 1001, 1002,
]);

/**
 * Codes that an operator has to see to: tables or columns that a migration has yet to make (8, 10, 16, 47, 60, 81), settings
 * that the server does not know or allow (115, 452), users and rights (192 to 195, 497). No fact can cause them, since our
 * statements name fixed columns and settings; so none is given up for them either.
 */
const OPERATORS_CODES = new Set([8, 10, 16, 47, 60, 81, 115, 192, 193, 194, 195, 452, 497]);
const FOR_THE_OPERATOR =
  'ClickHouse lacks a table, a column, a setting or a right that this version needs: run `migrate`, or grant it.';

/** The store cannot answer now. Try again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The store will never accept this. Trying again is pointless. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
  constructor(
    message: string,
    readonly code: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A question took longer than it may. Asking again is pointless; asking for less is not. */
export class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';
}

/** A question needed more memory or more rows than it may, or has too many parts to be planned. */
export class QueryTooLargeError extends Error {
  override readonly name = 'QueryTooLargeError';
}

const TOO_SLOW = [159, 160];
/** Rows, bytes and results; then depth and number of the parts of a statement, and the time to take it apart. */
const TOO_LARGE = [158, 307, 396, 167, 168, 306, 718];
const MEMORY = 241;
const SYNTAX = 62;

/** As `storeError`, for a question, which has bounds of its own. */
export function questionError(error: unknown): Error {
  const code = error instanceof ClickHouseError ? Number(error.code) : 0;
  const options = { cause: error };
  if (TOO_SLOW.includes(code)) return new QueryTimeoutError('over the time limit', options);
  const isOwnMemory = code === MEMORY && !(error as Error).message.includes('(total)');
  const isTooLong = code === SYNTAX && (error as Error).message.includes('Max query size exceeded');
  if (isOwnMemory || isTooLong || TOO_LARGE.includes(code))
    return new QueryTooLargeError('over the size limit', options);
  return storeError(error);
}

/** The only place that looks at what the client throws. */
export function storeError(error: unknown): StoreUnavailableError | StoreRefusedError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof ClickHouseError ? Number(error.code) : 0;
  if (OPERATORS_CODES.has(code))
    return new StoreUnavailableError(`${FOR_THE_OPERATOR} It said: ${message}`, { cause: error });
  if (code !== 0 && !TRANSIENT_CODES.has(code)) {
    return new StoreRefusedError(message, code, { cause: error });
  }
  return new StoreUnavailableError(message, { cause: error });
}
