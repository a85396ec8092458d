import { sql, type Sql } from '@app/clickhouse';
import { ExprError, type Place } from './expr-error.js';
import type { ConvertTo } from './expr.js';
import { asBool, asInteger, asNumber } from './json-functions.js';
import type { Json, Kind, Plain, Value } from './value.js';

/** `$convert`. What cannot be converted becomes NULL. */
export function convert(value: Value, to: ConvertTo, at: Place): Plain {
  if (to === 'exists') return { kind: 'bool', sql: isSet(value) };
  return value.kind === 'json' ? convertJson(value, to) : convertPlain(value, to, at);
}

type Target = Exclude<ConvertTo, 'exists'>;

const KIND: Readonly<Record<Target, Kind>> = {
  double: 'number',
  int: 'number',
  string: 'text',
  bool: 'bool',
};

function convertJson(value: Json, to: Target): Plain {
  const kind = KIND[to];
  switch (to) {
    case 'double':
      return { kind, nullable: true, sql: value.number() };
    case 'int':
      return { kind, nullable: true, sql: value.integer() };
    case 'bool':
      return { kind, nullable: true, sql: value.bool() };
    case 'string':
      return { kind, sql: value.text() };
  }
}

const CAST = { double: asNumber, int: asInteger, bool: asBool };

function convertPlain(value: Plain, to: Target, at: Place): Plain {
  if (value.kind === 'texts') throw new ExprError('value', at, 'a list cannot be converted');
  if (value.kind === KIND[to] && to !== 'int') return value;
  if (value.kind === 'time' && to !== 'string') return convertTime(value, to, at);
  const text = textOf(value);
  if (to === 'string') return { kind: 'text', nullable: true, sql: text };
  return { kind: KIND[to], nullable: true, sql: sql`${CAST[to]}(${text})` };
}

function convertTime(value: Plain, to: Target, at: Place): Plain {
  if (to === 'bool') throw new ExprError('value', at, 'a moment cannot be converted to bool');
  const micros = sql`toUnixTimestamp64Micro(${value.sql})`;
  const seconds = to === 'int' ? sql`intDiv(${micros}, 1000000)` : sql`${micros} / 1000000`;
  return { kind: 'number', nullable: true, sql: orNull({ ...value, sql: seconds }) };
}

/** Any plain value as text, NULL when it has none. */
function textOf(value: Plain): Sql {
  return orNull({ ...value, sql: printed(value) });
}

function printed({ kind, sql: value }: Plain): Sql {
  switch (kind) {
    case 'text':
    case 'texts':
      return value;
    case 'number':
      return sql`toString(${value})`;
    case 'bool':
      return sql`if(${value}, 'true', 'false')`;
    case 'time':
      return sql`concat(replaceOne(toString(${value}), ' ', 'T'), 'Z')`;
  }
}

/** NULL when it has no value. */
export function orNull({ sql: value, unset }: Plain): Sql {
  return unset ? sql`if(${unset}, NULL, ${value})` : value;
}

/** Whether there is a value; never NULL. */
export function isSet(value: Value): Sql {
  if (value.kind === 'json') return value.exists();
  if (value.nullable) return sql`isNotNull(${value.sql})`;
  return value.unset ? sql`NOT ${group(value.unset)}` : sql`true`;
}

export const group = (condition: Sql): Sql => sql`(${condition})`;
