import { raw, sql, type Sql } from '@app/clickhouse';
import { orNull } from './casts.js';
import { ExprError, type Place } from './expr-error.js';
import type { Value } from './value.js';

export type Direction = 'asc' | 'desc';

/** ORDER BY of one field. Rows without a value come last in both directions; JSON sorts by number, then by text. */
export function sortKeys(value: Value, direction: Direction, at: Place): Sql {
  const order = raw(direction === 'asc' ? 'ASC' : 'DESC');
  if (value.kind === 'texts')
    throw new ExprError('shape', at, 'sorting by a list is not supported');
  if (value.kind === 'json') {
    return sql`${value.exists()} DESC, ${value.number()} ${order} NULLS LAST, ${value.text()} ${order}`;
  }
  return sql`${orNull(value)} ${order} NULLS LAST`;
}
