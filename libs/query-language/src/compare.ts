import { and, raw, sql, type Sql } from '@app/clickhouse';
import { group, isSet, orNull } from './casts.js';
import { ExprError, type Place } from './expr-error.js';
import type { Comparison } from './expr.js';
import { timeLiteral } from './literals.js';
import type { Json, Kind, Plain, Value } from './value.js';
import { decided, NEVER, not, nullable, verdict, type Verdict } from './verdict.js';

const OPERATOR: Readonly<Record<Comparison, string>> = {
  eq: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};
const NEGATED_OPERATOR: Readonly<Record<Comparison, string>> = {
  eq: '!=',
  gt: '<=',
  gte: '<',
  lt: '>=',
  lte: '>',
};

/** Paths of the two sides of a comparison in the request. */
export type Sides = readonly [left: Place, right: Place];

export function compare(by: Comparison, left: Value, right: Value, sides: Sides): Verdict {
  if (isNull(left)) return compareNull(by, right);
  if (isNull(right)) return compareNull(by, left);
  if (by === 'eq' && left.kind === 'json' && isText(right)) return equalsText(left, right);
  if (by === 'eq' && right.kind === 'json' && isText(left)) return equalsText(right, left);
  if (by === 'eq' && left.kind === 'json' && isConstant(right)) return equals(left, right);
  if (by === 'eq' && right.kind === 'json' && isConstant(left)) return equals(right, left);
  const [a, b] = paired(left, right, sides);
  if (a.nullable || b.nullable) return nullable(relation(OPERATOR[by], orNull(a), orNull(b)));
  const guards = [a, b].map(({ unset }) => unset && sql`NOT ${group(unset)}`);
  return verdict(
    group(and([relation(OPERATOR[by], a.sql, b.sql), ...guards])),
    group(and([relation(NEGATED_OPERATOR[by], a.sql, b.sql), ...guards])),
  );
}

const relation = (operator: string, a: Sql, b: Sql) => sql`(${a} ${raw(operator)} ${b})`;

type Constant = Plain & { readonly literal: number | boolean };

const isConstant = (value: Value): value is Constant =>
  (value.kind === 'number' || value.kind === 'bool') && isLiteral(value);

function equals(json: Json, constant: Constant): Verdict {
  const operand = (entry: Json) => (constant.kind === 'bool' ? entry.bool() : entry.number());
  return ofEntries(json, (entry) => relation('=', operand(entry), orNull(constant)));
}

/**
 * A condition on a value that a row may have several of. It holds when it holds for any of them, and it is unknown (NULL)
 * when it is unknown for all of them.
 */
export function ofEntries(json: Json, condition: (entry: Json) => Sql): Verdict {
  if (!json.any) return nullable(condition(json));
  const holds = json.any((entry) => sql`ifNull(${condition(entry)}, false)`);
  const isKnown = json.any((entry) => sql`(${condition(entry)} IS NOT NULL)`);
  return verdict(holds, sql`(${isKnown} AND NOT ${holds})`);
}

/** Equality with null tests whether there is a value. Any other comparison with null never matches. */
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

/** Both sides as the same kind. A JSON value is converted to the kind of the other side. */
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
      // Of a field and a literal, report the literal: it is the one that the client can change.
      isLiteral(left) && !isLiteral(right) ? atLeft : atRight,
      `${NAMES[left.kind]} cannot be compared with ${NAMES[right.kind]}`,
    );
  }
  return left.kind === right.kind ? [left, right] : [asNumber(left), asNumber(right)];
}

/** A boolean as 0 or 1. ClickHouse would convert the other side to a boolean instead, and 1.5 to true. */
export const asNumber = (value: Plain): Plain =>
  value.kind === 'bool' ? { ...value, kind: 'number', sql: sql`toUInt8(${value.sql})` } : value;

type LiteralPlain = Plain & { readonly literal: NonNullable<Plain['literal']> };
const isLiteral = (value: Plain): value is LiteralPlain =>
  value.literal !== undefined && value.literal !== null;

/** Booleans are compared as numbers. */
const comparable = (kind: Kind): Kind => (kind === 'bool' ? 'number' : kind);

export const NAMES: Readonly<Record<Kind | 'json', string>> = {
  text: 'text',
  number: 'a number',
  bool: 'a boolean',
  time: 'a time',
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
