import type { Expr, In, Operation } from './expr.js';

/** An operand that several comparisons have in common, and the literals that it is compared with. */
interface Group {
  readonly input: Expr;
  readonly list: Expr[];
  /** The first of the comparisons. */
  readonly first: Expr;
}

/**
 * Makes `a in (1, 2)` of `a = 1 or a = 2`, and `not a in (1, 2)` of `not a = 1 and not a = 2`. ClickHouse needs about 40 ms to plan each
 * comparison with a payload, and computes its value for each of them. Only for SQL: there, `in` is unknown when each equality would be.
 */
export function mergeEqualities<Part extends Expr>(expr: Part): Part | Operation {
  if (expr.kind === 'any')
    return { ...expr, of: merged(expr.of.map(mergeEqualities), equalityIn, (one) => one) };
  if (expr.kind === 'all')
    return { ...expr, of: merged(expr.of.map(mergeEqualities), negatedEqualityIn, negated) };
  if (expr.kind === 'not') return { ...expr, of: mergeEqualities(expr.of) };
  return expr;
}

/** The parts, with one in the place of the first of each group of equalities. */
function merged(
  parts: readonly Expr[],
  equalityOf: (part: Expr) => Equality | undefined,
  combined: (all: In) => Expr,
): readonly Expr[] {
  const groups = new Map<string, Group>();
  const entries = parts.map((part) => {
    const equality = equalityOf(part);
    if (equality === undefined) return part;
    const key = keyOf(equality.input);
    const group = groups.get(key) ?? { input: equality.input, list: [], first: part };
    groups.set(key, group);
    group.list.push(equality.literal);
    return group;
  });
  return entries.flatMap((entry, i) => {
    if (!('first' in entry)) return [entry];
    if (entry.first !== parts[i]) return [];
    if (entry.list.length === 1) return [entry.first];
    return [combined({ kind: 'in', at: entry.first.at, input: entry.input, list: entry.list })];
  });
}

interface Equality {
  readonly input: Expr;
  readonly literal: Expr;
}

/** Equality with null tests whether there is a value, and is not merged. */
function equalityIn(expr: Expr): Equality | undefined {
  if (expr.kind !== 'compare' || expr.by !== 'eq') return undefined;
  const { left, right } = expr;
  if (isValue(right) && isOperand(left)) return { input: left, literal: right };
  if (isValue(left) && isOperand(right)) return { input: right, literal: left };
  return undefined;
}

const negatedEqualityIn = (expr: Expr) => (expr.kind === 'not' ? equalityIn(expr.of) : undefined);

const negated = (of: In): Expr => ({ kind: 'not', at: of.at, of });

const isValue = (expr: Expr) => expr.kind === 'literal' && expr.value !== null;

/** What is made of a field. A converted null is compared by itself. */
function isOperand(expr: Expr): boolean {
  if (expr.kind === 'convert' || expr.kind === 'size') return isOperand(expr.input);
  return expr.kind === 'field';
}

/** The same for operands that differ only in their place in the request. */
const keyOf = (operand: Expr) =>
  JSON.stringify(operand, (name, value: unknown) => (name === 'at' ? undefined : value));
