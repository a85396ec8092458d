import { bind, raw, sql, type Sql } from '@app/clickhouse';
import type { Direction, SortField } from '@app/contracts';
import { InvalidBodyError, ProblemError } from '@app/http';

/** A sort key's direction, under either of its two names; throws InvalidBodyError for a key without one. */
export function directionOf({ direction, order }: SortField, index: number): Direction {
  const given = direction ?? order;
  if (given) return given;
  throw new InvalidBodyError([
    { loc: ['body', 'sort_by', index, 'direction'], msg: 'Field required', type: 'missing' },
  ]);
}

/** The fields to sort by, and their places in the request. */
export const sortFields = (sortBy: readonly SortField[] | null | undefined) =>
  (sortBy ?? []).map(({ field }, i) => ({ path: field, at: ['sort_by', i, 'field'] }));

export interface Page {
  readonly limit: number | undefined;
  readonly offset: number;
}

interface PageRequest {
  readonly limit?: number | null | undefined;
  readonly offset?: number | null | undefined;
}

export function pageOf({ limit, offset }: PageRequest): Page {
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (value && value < 0) {
      throw new ProblemError('invalid_request', `${name} must not be negative, but is ${value}.`);
    }
  }
  return {
    limit: limit === null || limit === undefined ? undefined : Math.min(limit, ROWS_MAX),
    offset: Math.min(offset ?? 0, ROWS_MAX),
  };
}

/** More rows than a table can have, and small enough that sums of it stay exact. */
const ROWS_MAX = 2 ** 50;

/** ClickHouse has no OFFSET without a LIMIT; this is its largest UInt64. */
export const NO_LIMIT = '18446744073709551615';

/** `LIMIT … OFFSET …` after a separator; empty for a page of everything. */
export function limitClause({ limit, offset }: Page, separator: ' ' | '\n' = ' '): Sql {
  if (limit === undefined && offset === 0) return raw('');
  const rows = bind('UInt64', limit ?? NO_LIMIT);
  return sql`${raw(separator)}LIMIT ${rows} OFFSET ${bind('UInt64', offset)}`;
}
