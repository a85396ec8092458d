import type { Sql } from '@app/clickhouse';
import { raw, sql } from '@app/clickhouse';
import type { Place } from './expr-error.js';
import type { Kind, Plain, Value } from './value.js';

/** Maps paths of a query to the fields of one table. */
export interface FieldMap {
  /** Throws an ExprError for an unknown field. */
  field(path: string, at: Place): Value;
}

/** A column that always has a value. */
export const column = (kind: Kind, name: string): Plain => ({ kind, sql: raw(name) });

/** A text column in which '' means "no value". */
export const textColumn = (name: string): Plain => ({
  kind: 'text',
  sql: raw(name),
  unset: sql`${raw(name)} = ''`,
});

/** A time column in which 1970 means "no value". */
export const timeColumn = (name: string): Plain => ({
  kind: 'time',
  sql: raw(name),
  unset: sql`${raw(name)} = toDateTime64(0, 6, 'UTC')`,
});

/** A value computed from columns. */
export const computed = (kind: Kind, value: Sql, unset?: Sql): Plain => ({
  kind,
  sql: value,
  ...(unset && { unset }),
});

/** A list column in which the empty list means "no value". */
export const textsColumn = (name: string): Plain => ({
  kind: 'texts',
  sql: raw(name),
  unset: sql`empty(${raw(name)})`,
});

/** A field without a value in any row. */
export const never = (kind: 'text' | 'time'): Plain => ({
  kind,
  sql: raw(kind === 'text' ? `''` : `toDateTime64(0, 6, 'UTC')`),
  unset: raw('true'),
});
