import { and, raw, sql, type Sql } from '@app/clickhouse';
import { group, isSet, orNull } from './casts.js';
import { ExprError, type Place } from './expr-error.js';
import type { Comparison } from './expr.js';
import { timeLiteral } from './literals.js';
import type { Json, Kind, Plain, Value } from './value.js';
import { decided, NEVER, not, nullable, verdict, type Verdict } from './verdict.js';

const SIGN: Readonly<Record<Comparison, string>> = {
  eq: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};
const OPPOSITE: Readonly<Record<Comparison, string>> = {
  eq: '!=',
  gt: '<=',
  gte: '<',
  lt: '>=',
  lte: '>',
};

/** Where the two sides of a comparison stand in the request. */
export type Sides = readonly [left: Place, right: Place];

export function compare(by: Comparison, left: Value, right: Value, sides: Sides): Verdict {
  if (isNull(left)) return compareNull(by, right);
  if (isNull(right)) return compareNull(by, left);
  if (by === 'eq' && left.kind === 'json' && isText(right)) return equalsText(left, right);
  if (by === 'eq' && right.kind === 'json' && isText(left)) return equalsText(right, left);
  if (by === 'eq' && left.kind === 'json' && isConstant(right)) return equals(left, right);
  if (by === 'eq' && right.kind === 'json' && isConstant(left)) return equals(right, left);
  const [a, b] = paired(left, right, sides);
  if (a.nullable || b.nullable) return nullable(relation(SIGN[by], orNull(a), orNull(b)));
  const guards = [a, b].map(({ unset }) => unset && sql`NOT ${group(unset)}`);
  return verdict(
    group(and([relation(SIGN[by], a.sql, b.sql), ...guards])),
    group(and([relation(OPPOSITE[by], a.sql, b.sql), ...guards])),
  );
}

const relation = (sign: string, a: Sql, b: Sql) => sql`(${a} ${raw(sign)} ${b})`;

type Constant = Plain & { readonly literal: number | boolean };

const isConstant = (value: Value): value is Constant =>
  (value.kind === 'number' || value.kind === 'bool') && isLiteral(value);

function equals(json: Json, constant: Constant): Verdict {
  const of = (entry: Json) => (constant.kind === 'bool' ? entry.bool() : entry.number());
  return ofEntries(json, (entry) => relation('=', of(entry), orNull(constant)));
}

/**
 * A condition on a value of which a row may have many. It holds when it holds for any of them, and is unknown (NULL) when
 * it is for all.
 */
export function ofEntries(json: Json, condition: (entry: Json) => Sql): Verdict {
  if (!json.any) return nullable(condition(json));
  const holds = json.any((entry) => sql`ifNull(${condition(entry)}, false)`);
  const isKnown = json.any((entry) => sql`(${condition(entry)} IS NOT NULL)`);
  return verdict(holds, sql`(${isKnown} AND NOT ${holds})`);
}

/** Only equality knows null: it asks whether there is a value. Anything else never matches it. */
function compareNull(by: Comparison, other: Value): Verdict {
  if (by !== 'eq') return NEVER;
  if (isNull(other)) return decided(raw('true'));
  return not(decided(group(isSet(other))));
}

type TextLiteral = Plain & { readonly literal: string };

function equalsText(json: Json, { literal }: TextLiteral): Verdict {
  return decided(json.equalsAny([literal]));
}

export const isNull = (value: Value): boolean => value.kind !== 'json' && value.literal === null;

export const isText = (value: Value): value is TextLiteral =>
  value.kind === 'text' && typeof value.literal === 'string';

/** Both sides as one kind. A value whose kind only the row knows follows the other side. */
function paired(left: Value, right: Value, [atLeft, atRight]: Sides): [Plain, Plain] {
  if (left.kind === 'json') {
    const plain = right.kind === 'json' ? asKind(right, 'text', atRight) : right;
    return [asKind(left, plain.kind, atLeft), plain];
  }
  if (right.kind === 'json') return [left, asKind(right, left.kind, atRight)];
  if (left.kind === 'time' && isLiteral(right)) return [left, timeLiteral(right.literal, atRight)];
  if (right.kind === 'time' && isLiteral(left)) return [timeLiteral(left.literal, atLeft), right];
  if (comparable(left.kind) !== comparable(right.kind) || left.kind === 'texts') {
    throw new ExprError(
      'value',
      // Of a field and a value it is the value that could be another.
      isLiteral(left) && !isLiteral(right) ? atLeft : atRight,
      `${NAMES[left.kind]} cannot be compared with ${NAMES[right.kind]}`,
    );
  }
  return left.kind === right.kind ? [left, right] : [counted(left), counted(right)];
}

/** As 0 or 1. ClickHouse would turn the other side into a boolean instead, and 1.5 into true. */
const counted = (value: Plain): Plain =>
  value.kind === 'bool' ? { ...value, kind: 'number', sql: sql`toUInt8(${value.sql})` } : value;

type LiteralPlain = Plain & { readonly literal: NonNullable<Plain['literal']> };
const isLiteral = (value: Plain): value is LiteralPlain =>
  value.literal !== undefined && value.literal !== null;

/** Truth counts as 0 and 1. */
const comparable = (kind: Kind): Kind => (kind === 'bool' ? 'number' : kind);

export const NAMES: Readonly<Record<Kind | 'json', string>> = {
  text: 'text',
  number: 'a number',
  bool: 'a boolean',
  time: 'a moment',
  texts: 'a list',
  json: 'a JSON value',
};

function asKind(json: Json, kind: Kind, at: Place): Plain {
  switch (kind) {
    case 'text':
      return { kind, sql: json.text() };
    case 'number':
      return { kind, nullable: true, sql: json.number() };
    case 'bool':
      return { kind, nullable: true, sql: json.bool() };
    case 'time':
    case 'texts':
      throw new ExprError('value', at, `a JSON value cannot be compared with ${NAMES[kind]}`);
  }
}
