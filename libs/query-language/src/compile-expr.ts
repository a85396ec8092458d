import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { convert, group, isSet, orNull } from './casts.js';
import { asNumber, compare, isNull, isText, NAMES, ofEntries } from './compare.js';
import type { Undecided } from './undecided.js';
import { ExprError } from './expr-error.js';
import type { Contains, Expr, In, Operation, Size } from './expr.js';
import type { FieldMap } from './field-map.js';
import { asBool } from './json-functions.js';
import { position } from './json-text.js';
import { literal } from './literals.js';
import { isOperation } from './parse-expr.js';
import type { Plain, Value } from './value.js';
import {
  all,
  always,
  any,
  decided,
  NEVER,
  not,
  nullable,
  verdict,
  type Verdict,
} from './verdict.js';

/** The condition that a matching row fulfils. Values and paths from the request are bound parameters. */
export function compileExpr(expr: Operation, fields: FieldMap): Sql {
  return verdictOf(expr, fields).holds;
}

/**
 * A condition that every matching row fulfils and that reads no payload. Rows that the scalar index cannot decide pass
 * it. `fieldsWith` returns fields that add the conditions of such rows to the list.
 */
export function prefilterExpr(
  expr: Operation,
  fieldsWith: (undecided: Undecided[]) => FieldMap,
): Sql {
  return prefilterOf(expr, fieldsWith).holds;
}

function prefilterOf(expr: Expr, fieldsWith: (undecided: Undecided[]) => FieldMap): Verdict {
  if (expr.kind === 'all') return all(expr.of.map((one) => prefilterOf(one, fieldsWith)));
  if (expr.kind === 'any') return any(expr.of.map((one) => prefilterOf(one, fieldsWith)));
  if (expr.kind === 'not') return not(prefilterOf(expr.of, fieldsWith));
  const textMatch = expr.kind === 'contains' ? textMatchOf(expr, fieldsWith([])) : undefined;
  // The payload contains the text, but maybe not at this path: any row may fail.
  if (textMatch) return verdict(textMatch, raw('true'));
  const undecided: Undecided[] = [];
  const { holds, fails } = verdictOf(expr, fieldsWith(undecided));
  const orUndecided = (decided: Sql) =>
    sql`(${join([decided, ...undecided.map(({ rows }) => group(rows))], ' OR ')})`;
  return verdict(orUndecided(holds), orUndecided(fails));
}

function verdictOf(expr: Expr, fields: FieldMap): Verdict {
  switch (expr.kind) {
    case 'all':
      return all(expr.of.map((one) => verdictOf(one, fields)));
    case 'any':
      return any(expr.of.map((one) => verdictOf(one, fields)));
    case 'not':
      return not(verdictOf(expr.of, fields));
    case 'compare':
      return compare(expr.by, valueOf(expr.left, fields), valueOf(expr.right, fields), [
        expr.left.at,
        expr.right.at,
      ]);
    case 'in':
      return membership(expr, fields);
    case 'contains':
      return containment(expr, fields);
    case 'literal':
      return always(Boolean(expr.value));
    case 'field':
    case 'convert':
    case 'size':
      return truth(valueOf(expr, fields));
  }
}

function valueOf(expr: Expr, fields: FieldMap): Value {
  if (isOperation(expr))
    return { kind: 'bool', nullable: true, sql: verdictOf(expr, fields).value };
  switch (expr.kind) {
    case 'field':
      return fields.field(expr.path, expr.at);
    case 'literal':
      return literal(expr.value);
    case 'convert':
      return convert(valueOf(expr.input, fields), expr.to, expr.at);
    case 'size':
      return size(expr, fields);
  }
}

/** A value in place of a condition is converted to a boolean. */
function truth(value: Value): Verdict {
  switch (value.kind) {
    case 'json':
      return nullable(value.bool());
    case 'text':
      return nullable(sql`${asBool}(${orNull(value)})`);
    case 'bool':
      return nullable(orNull(value));
    case 'number':
      return nullable(sql`(${orNull(value)} != 0)`);
    case 'time':
    case 'texts':
      return decided(group(isSet(value)));
  }
}

/** `$in` is equality with any value of the list. null matches nothing here. */
function membership({ input, list }: In, fields: FieldMap): Verdict {
  const value = valueOf(input, fields);
  const others = distinct(list)
    .map((one) => ({ at: one.at, value: valueOf(one, fields) }))
    .filter((one) => !isNull(one.value));
  if (isNull(value)) return NEVER;
  const texts = others.flatMap((one) => (isText(one.value) ? [one.value.literal] : []));
  const shareTexts = texts.length > 1 && (value.kind === 'json' || value.kind === 'text');
  const numbers = others.flatMap((one) => (isNumber(one.value) ? [one.value.literal] : []));
  const shareNumbers = numbers.length > 1 && ['json', 'number', 'bool'].includes(value.kind);
  const isShared = (one: Value) => (shareTexts && isText(one)) || (shareNumbers && isNumber(one));
  const verdicts = [
    ...(shareTexts ? [amongTexts(value, texts)] : []),
    ...(shareNumbers ? [amongNumbers(value, numbers)] : []),
    ...others
      .filter((one) => !isShared(one.value))
      .map((one) => compare('eq', value, one.value, [input.at, one.at])),
  ];
  return verdicts.length === 0 ? always(false) : any(verdicts);
}

/** Removes repeated literals. */
function distinct(list: readonly Expr[]): readonly Expr[] {
  const seen = new Set<unknown>();
  return list.filter((one) => {
    if (one.kind !== 'literal') return true;
    const isNew = !seen.has(one.value);
    seen.add(one.value);
    return isNew;
  });
}

const isNumber = (value: Value): value is Plain & { readonly literal: number } =>
  value.kind === 'number' && typeof value.literal === 'number';

function amongTexts(value: Value, texts: readonly string[]): Verdict {
  if (value.kind === 'json') return decided(value.equalsAny(texts));
  const among = sql`(${value.sql} IN ${bind('Array(String)', texts)})`;
  if (value.nullable) return nullable(among);
  if (!value.unset) return decided(among);
  const set = sql`NOT ${group(value.unset)}`;
  return verdict(sql`(${among} AND ${set})`, sql`(NOT ${among} AND ${set})`);
}

function amongNumbers(value: Value, numbers: readonly number[]): Verdict {
  const values = bind(
    'Array(Float64)',
    numbers.map((one) => one + 0),
  );
  // A set distinguishes -0 and 0; adding 0 makes them equal.
  const among = (number: Sql) => sql`((${number} + 0) IN ${values})`;
  if (value.kind === 'json') return ofEntries(value, (entry) => among(entry.number()));
  return nullable(among(orNull(asNumber(value))));
}

function containment({ input, substr, ignoresCase, at }: Contains, fields: FieldMap): Verdict {
  const value = valueOf(input, fields);
  const part = valueOf(substr, fields);
  if (isNull(value) || isNull(part)) return NEVER;
  if (part.kind !== 'json' && part.kind !== 'text') {
    throw new ExprError('value', [...at, 'substr'], `must be text, not ${NAMES[part.kind]}`);
  }
  if (value.kind === 'texts') return decided(hasText(value.sql, textIn(part), ignoresCase));
  if (value.kind === 'json' && isText(part))
    return decided(value.contains(part.literal, ignoresCase));
  if (value.kind !== 'json' && value.kind !== 'text') {
    throw new ExprError(
      'value',
      [...at, 'input'],
      `must be text or a list, not ${NAMES[value.kind]}`,
    );
  }
  const found = sql`(${position(ignoresCase)}(${textIn(value)}, ${textIn(part)}) > 0)`;
  return nullable(found);
}

function hasText(texts: Sql, text: Sql, ignoresCase: boolean): Sql {
  if (!ignoresCase) return sql`has(${texts}, ${text})`;
  return sql`has(arrayMap(x -> lowerUTF8(x), ${texts}), lowerUTF8(${text}))`;
}

/** A `$contains` condition on the raw text of the payload, without parsing it. */
function textMatchOf({ input, substr, ignoresCase }: Contains, fields: FieldMap): Sql | undefined {
  const value = valueOf(input, fields);
  const part = valueOf(substr, fields);
  return value.kind === 'json' && isText(part)
    ? value.mayContain?.(part.literal, ignoresCase)
    : undefined;
}

const textIn = (value: Value): Sql => (value.kind === 'json' ? value.text() : orNull(value));

function size({ input, at }: Size, fields: FieldMap): Plain {
  const value = valueOf(input, fields);
  const number = { kind: 'number', nullable: true } as const;
  switch (value.kind) {
    case 'json':
      return { ...number, sql: value.size() };
    case 'text':
      return { ...number, sql: sql`lengthUTF8(${orNull(value)})` };
    case 'texts':
      return { kind: 'number', sql: sql`length(${value.sql})` };
    case 'number':
    case 'bool':
    case 'time':
      throw new ExprError('value', at, `${NAMES[value.kind]} has no size`);
  }
}
