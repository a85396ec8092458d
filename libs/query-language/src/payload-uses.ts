import { ExprError, type Place } from './expr-error.js';
import type { Expr } from './expr.js';
import type { FieldMap } from './field-map.js';

/** ClickHouse needs about 50 ms to plan each use, and continues to plan when the client disconnects. */
export const PAYLOAD_USES_MAX = 24;
/** Sorting by a payload reads it in three ways: whether it exists, as a number and as text. */
const USES_OF_SORT = 3;

/** The parts of a request that name fields. */
export interface Conditions {
  readonly expr: Expr | undefined;
  readonly sortBy: readonly { readonly path: string; readonly at: Place }[];
}

/** How often ClickHouse has to parse payloads for these conditions, if the scalar index does not decide them. */
export function payloadUses({ expr, sortBy }: Conditions, fields: FieldMap): number {
  const sorting = sum(sortBy.map(({ path, at }) => USES_OF_SORT * usesOfField(path, at, fields)));
  return (expr ? usesOf(expr, fields) : 0) + sorting;
}

/** Throws ExprError for conditions that take too long to plan. */
export function requireFewPayloads(uses: number): void {
  if (uses <= PAYLOAD_USES_MAX) return;
  throw new ExprError(
    'value',
    ['query'],
    `reads fields of payloads ${uses} times where the text of a payload decides; at most ${PAYLOAD_USES_MAX} times are allowed, and sorting by one counts ${USES_OF_SORT} times`,
  );
}

function usesOf(expr: Expr, fields: FieldMap): number {
  switch (expr.kind) {
    case 'all':
    case 'any':
      return sum(expr.of.map((part) => usesOf(part, fields)));
    case 'not':
      return usesOf(expr.of, fields);
    case 'compare':
      return usesOf(expr.left, fields) + usesOf(expr.right, fields);
    case 'in': {
      // Each value that is not a literal is compared with the input by itself. Literals of a kind are compared as one list.
      const others = expr.list.filter(({ kind }) => kind !== 'literal');
      const comparisons = Math.max(1, others.length + literalKinds(expr.list));
      const inputs = comparisons * usesOf(expr.input, fields);
      return inputs + sum(others.map((part) => usesOf(part, fields)));
    }
    case 'contains':
      return usesOf(expr.input, fields) + usesOf(expr.substr, fields);
    case 'convert':
    case 'size':
      return usesOf(expr.input, fields);
    case 'field':
      return usesOfField(expr.path, expr.at, fields);
    case 'literal':
      return 0;
  }
}

/** Texts, numbers, true, and false; null is not compared. */
function literalKinds(list: readonly Expr[]): number {
  const values = list.flatMap((one) => (one.kind === 'literal' ? [one.value] : []));
  const kinds = values.map((value) => (typeof value === 'boolean' ? value : typeof value));
  return new Set(kinds.filter((_, i) => values[i] !== null)).size;
}

const usesOfField = (path: string, at: Place, fields: FieldMap) =>
  fields.field(path, at).kind === 'json' ? 1 : 0;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
