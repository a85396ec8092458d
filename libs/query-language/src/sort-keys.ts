import { raw, sql, type Sql } from '@app/clickhouse';
import { orNull } from './casts.js';
import { ExprError, type Place } from './expr-error.js';
import type { Value } from './value.js';

export type Direction = 'asc' | 'desc';

/** ORDER BY of one field: what has a value comes first in both directions; JSON by number, then by text. */
export function sortKeys(value: Value, direction: Direction, at: Place): Sql {
  const way = raw(direction === 'asc' ? 'ASC' : 'DESC');
  if (value.kind === 'texts') throw new ExprError('shape', at, 'a list cannot be sorted by');
  if (value.kind === 'json') {
    return sql`${value.exists()} DESC, ${value.number()} ${way} NULLS LAST, ${value.text()} ${way}`;
  }
  return sql`${orNull(value)} ${way} NULLS LAST`;
}
