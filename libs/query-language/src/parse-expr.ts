import { ExprError, shown, type Place } from './expr-error.js';
import type { Comparison, ConvertTo, Expr, Operation } from './expr.js';

export const DEPTH_MAX = 64;
const LIST_MAX = 1000;
/** A comparison has three nodes. ClickHouse needs about 40 ms to plan each comparison with a payload. */
export const NODES_MAX = 500;

/** Parses and validates `{"$expr": operation}`. */
export function parseQuery(query: unknown, at: Place = ['query']): Operation {
  const { key, value, at: inside } = only(query, at);
  if (key !== '$expr') throw shape(inside, `the only key of a query is $expr, not ${shown(key)}`);
  const expr = parseExpr(value, inside, 1);
  refuseTooManyNodes(expr);
  if (!isOperation(expr))
    throw shape(inside, 'must be an operation such as $eq, $and or $contains');
  return expr;
}

export function isOperation(expr: Expr): expr is Operation {
  return !['field', 'literal', 'convert', 'size'].includes(expr.kind);
}

/** The literals of a list become one parameter and are not counted. */
function refuseTooManyNodes(expr: Expr): void {
  let count = 0;
  for (const { at } of nodesOf(expr)) {
    if (++count > NODES_MAX)
      throw new ExprError(
        'value',
        at,
        `a query may have at most ${NODES_MAX} operators, values and fields; this is one more`,
      );
  }
}

function* nodesOf(expr: Expr): Generator<Expr, void> {
  yield expr;
  for (const part of partsOf(expr)) yield* nodesOf(part);
}

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'all':
    case 'any':
      return expr.of;
    case 'not':
      return [expr.of];
    case 'compare':
      return [expr.left, expr.right];
    case 'in':
      return [expr.input, ...expr.list.filter(({ kind }) => kind !== 'literal')];
    case 'contains':
      return [expr.input, expr.substr];
    case 'convert':
    case 'size':
      return [expr.input];
    case 'field':
    case 'literal':
      return [];
  }
}

type Parser = (value: unknown, at: Place, depth: number) => Expr;

const OPERATORS: Readonly<Record<string, Parser>> = {
  $and: (value, at, depth) => several('all', value, at, depth),
  $or: (value, at, depth) => several('any', value, at, depth),
  $not: (value, at, depth) => {
    const [of] = operands(value, 1, at, depth);
    return { kind: 'not', at, of: of! };
  },
  $eq: comparison('eq'),
  $gt: comparison('gt'),
  $gte: comparison('gte'),
  $lt: comparison('lt'),
  $lte: comparison('lte'),
  $in: membership,
  $contains: containment,
  $getField: (value, at) => {
    if (typeof value !== 'string')
      throw shape(at, `expects the path of a field, not ${shown(value)}`);
    return { kind: 'field', at, path: value };
  },
  $literal: (value, at) => ({ kind: 'literal', at, value: literalValue(value) }),
  $convert: conversion,
  $size: (value, at, depth) => ({ kind: 'size', at, input: parseExpr(value, at, depth + 1) }),
};

function parseExpr(value: unknown, at: Place, depth: number): Expr {
  if (depth > DEPTH_MAX) {
    throw new ExprError('depth', at, `is nested deeper than ${DEPTH_MAX} levels`);
  }
  const { key, value: inner, at: inside } = only(value, at);
  const parser = Object.hasOwn(OPERATORS, key) ? OPERATORS[key] : undefined;
  if (parser === undefined) {
    throw shape(inside, `${shown(key)} is not an operator; use one of ${NAMES}`);
  }
  return parser(inner, inside, depth);
}

const NAMES = Object.keys(OPERATORS).join(', ');

/** The only member of an object. */
function only(value: unknown, at: Place): { key: string; value: unknown; at: Place } {
  if (!isObject(value)) {
    throw shape(at, `must be an object with one operator, not ${shown(value)}`);
  }
  const members = Object.entries(value);
  const [member] = members;
  if (member === undefined || members.length > 1) {
    throw shape(at, `must have exactly one operator; it has ${members.length}`);
  }
  return { key: member[0], value: member[1], at: [...at, member[0]] };
}

function several(kind: 'all' | 'any', value: unknown, at: Place, depth: number): Expr {
  const list = asList(value, at);
  if (list.length === 0) throw new ExprError('value', at, 'needs at least one operand');
  return { kind, at, of: list.map((one, i) => parseExpr(one, [...at, i], depth + 1)) };
}

function operands(value: unknown, count: number, at: Place, depth: number): Expr[] {
  const list = asList(value, at);
  if (list.length !== count) {
    throw shape(at, `expects exactly ${count} operand${count > 1 ? 's' : ''}, not ${list.length}`);
  }
  return list.map((one, i) => parseExpr(one, [...at, i], depth + 1));
}

function comparison(by: Comparison): Parser {
  return (value, at, depth) => {
    const [left, right] = operands(value, 2, at, depth);
    return { kind: 'compare', by, at, left: left!, right: right! };
  };
}

function membership(value: unknown, at: Place, depth: number): Expr {
  const both = asList(value, at);
  if (both.length !== 2) throw shape(at, `expects exactly 2 operands, not ${both.length}`);
  const list = asList(unwrapped(both[1]), [...at, 1]);
  if (list.length > LIST_MAX) {
    throw new ExprError(
      'value',
      [...at, 1],
      `has ${list.length} values; at most ${LIST_MAX} are allowed`,
    );
  }
  const isPlain = both[1] !== list;
  return {
    kind: 'in',
    at,
    input: parseExpr(both[0], [...at, 0], depth + 1),
    list: list.map((one, i) => {
      const place = [...at, 1, i];
      if (isPlain) return { kind: 'literal', at: place, value: literalValue(one) };
      return parseExpr(one, place, depth + 1);
    }),
  };
}

/** A list may be wrapped in one `$literal`. */
function unwrapped(list: unknown): unknown {
  return isObject(list) && Array.isArray(list['$literal']) ? list['$literal'] : list;
}

const CONTAINS_KEYS = ['input', 'substr', 'case_insensitive'];

function containment(value: unknown, at: Place, depth: number): Expr {
  const given = members(value, CONTAINS_KEYS, at);
  const ignoresCase = given['case_insensitive'] ?? false;
  if (typeof ignoresCase !== 'boolean') {
    throw shape([...at, 'case_insensitive'], `must be true or false, not ${shown(ignoresCase)}`);
  }
  return {
    kind: 'contains',
    at,
    input: parseExpr(given['input'], [...at, 'input'], depth + 1),
    substr: parseExpr(given['substr'], [...at, 'substr'], depth + 1),
    ignoresCase,
  };
}

const CONVERT_TO: readonly ConvertTo[] = ['double', 'int', 'string', 'bool', 'exists'];

function conversion(value: unknown, at: Place, depth: number): Expr {
  const given = members(value, ['input', 'to'], at);
  const to = CONVERT_TO.find((one) => one === given['to']);
  if (to === undefined) {
    throw shape(
      [...at, 'to'],
      `must be one of ${CONVERT_TO.join(', ')}, not ${shown(given['to'])}`,
    );
  }
  return { kind: 'convert', at, to, input: parseExpr(given['input'], [...at, 'input'], depth + 1) };
}

function members(value: unknown, keys: readonly string[], at: Place): Record<string, unknown> {
  if (!isObject(value)) throw shape(at, `expects an object with ${keys.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw shape([...at, unknown], `is unknown; use ${keys.join(', ')}`);
  }
  return value;
}

function asList(value: unknown, at: Place): readonly unknown[] {
  if (!Array.isArray(value)) throw shape(at, `expects a list, not ${shown(value)}`);
  return value;
}

/** A list or object is a valid literal and is compared as its JSON text. */
function literalValue(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return value.toWellFormed();
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as number | boolean);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

const shape = (at: Place, message: string) => new ExprError('shape', at, message);
