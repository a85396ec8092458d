import type { Expr } from '@app/query-language';
import { asIndex } from '@app/query-language';

/** A parsed JSON value, or undefined where there is none. */
export type JsonValue = unknown;

/** Reads a field of a trial. */
export type FieldReader = (path: string) => JsonValue;

/**
 * Whether a trial matches an expression. Undefined is unknown, as in the queries on calls: a comparison with a value that is
 * absent or of another type is neither true nor false, and a trial matches only when the whole expression is true.
 */
export function matches(expr: Expr, field: FieldReader): boolean | undefined {
  switch (expr.kind) {
    case 'all':
      return allOf(expr.of.map((one) => matches(one, field)));
    case 'any':
      return not(allOf(expr.of.map((one) => not(matches(one, field)))));
    case 'not':
      return not(matches(expr.of, field));
    case 'compare':
      return compare(expr.by, valueOf(expr.left, field), valueOf(expr.right, field));
    case 'in': {
      const input = valueOf(expr.input, field);
      if (input === undefined) return undefined;
      return expr.list.some((one) => compare('eq', input, valueOf(one, field)) === true);
    }
    case 'contains':
      return contains(valueOf(expr.input, field), valueOf(expr.substr, field), expr.ignoresCase);
    case 'field':
    case 'literal':
    case 'convert':
    case 'size':
      return valueOf(expr, field) === true;
  }
}

function allOf(results: readonly (boolean | undefined)[]): boolean | undefined {
  if (results.includes(false)) return false;
  return results.includes(undefined) ? undefined : true;
}

const not = (result: boolean | undefined) => (result === undefined ? undefined : !result);

function valueOf(expr: Expr, field: FieldReader): JsonValue {
  switch (expr.kind) {
    case 'field':
      return field(expr.path) ?? undefined;
    case 'literal':
      return expr.value;
    case 'convert':
      return converted(valueOf(expr.input, field), expr.to);
    case 'size':
      return sizeOf(valueOf(expr.input, field));
    case 'all':
    case 'any':
    case 'not':
    case 'compare':
    case 'in':
    case 'contains':
      return matches(expr, field);
  }
}

function sizeOf(value: JsonValue): number | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function converted(
  value: JsonValue,
  to: 'double' | 'int' | 'string' | 'bool' | 'exists',
): JsonValue {
  if (to === 'exists') return value !== undefined && value !== null;
  if (value === undefined || value === null) return undefined;
  if (to === 'string') return typeof value === 'string' ? value : JSON.stringify(value);
  if (to === 'bool') return booleanOf(value);
  const number = numberOf(value);
  return number !== undefined && to === 'int' ? Math.trunc(number) : number;
}

function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function compare(by: string, left: JsonValue, right: JsonValue): boolean | undefined {
  if (right === null) return by === 'eq' ? left === undefined || left === null : undefined;
  if (left === null) return by === 'eq' ? right === undefined : undefined;
  if (left === undefined || right === undefined || typeof left !== typeof right) return undefined;
  if (by === 'eq') return left === right;
  if (typeof left === 'object') return undefined;
  const [a, b] = [left, right] as [string, string];
  if (by === 'gt') return a > b;
  if (by === 'gte') return a >= b;
  return by === 'lt' ? a < b : a <= b;
}

function contains(text: JsonValue, part: JsonValue, ignoresCase: boolean): boolean | undefined {
  if (typeof text !== 'string' || typeof part !== 'string') return undefined;
  return ignoresCase ? text.toLowerCase().includes(part.toLowerCase()) : text.includes(part);
}

/** The value at a path in a parsed JSON value. */
export function valueAt(value: JsonValue, keys: readonly string[]): JsonValue {
  let at = value;
  for (const key of keys) {
    if (at === null || typeof at !== 'object') return undefined;
    if (Array.isArray(at)) at = at[asIndex(key)];
    else at = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at ?? undefined;
}
