import { sql, type Sql } from '@app/clickhouse';
import { ExprError, type Place } from './expr-error.js';
import type { ConvertTo } from './expr.js';
import { asBool, asInteger, asNumber } from './json-functions.js';
import type { Json, Kind, Plain, Value } from './value.js';

/** Compiles `$convert`. A value that cannot be converted becomes NULL. */
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
  if (to === 'bool') throw new ExprError('value', at, 'a time cannot be converted to bool');
  const micros = sql`toUnixTimestamp64Micro(${value.sql})`;
  const seconds = to === 'int' ? sql`intDiv(${micros}, 1000000)` : sql`${micros} / 1000000`;
  return { kind: 'number', nullable: true, sql: orNull({ ...value, sql: seconds }) };
}

/** A plain value as text; NULL when there is no value. */
function textOf(value: Plain): Sql {
  return orNull({ ...value, sql: asText(value) });
}

function asText({ kind, sql: value }: Plain): Sql {
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

/** The SQL of a value; NULL when there is no value. */
export function orNull({ sql: value, unset }: Plain): Sql {
  return unset ? sql`if(${unset}, NULL, ${value})` : value;
}

/** A condition for "has a value"; never NULL. */
export function isSet(value: Value): Sql {
  if (value.kind === 'json') return value.exists();
  if (value.nullable) return sql`isNotNull(${value.sql})`;
  return value.unset ? sql`NOT ${group(value.unset)}` : sql`true`;
}

export const group = (condition: Sql): Sql => sql`(${condition})`;
