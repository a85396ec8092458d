import { allOf, type Expr, printFilter } from '@app/query-language/text';
import { filterOf } from './traces-query.js';

/** Adds a condition to the text of a filter, or removes it when it is there. */
export function toggleCondition(text: string | undefined, condition: Expr): string {
  const parts = partsOf(filterOf(text).expr);
  const wanted = JSON.stringify(condition);
  const others = parts.filter((part) => JSON.stringify(part) !== wanted);
  const changed = allOf(others.length < parts.length ? others : [...parts, condition]);
  return changed === undefined ? '' : printFilter(changed);
}

export function hasCondition(text: string | undefined, condition: Expr): boolean {
  const wanted = JSON.stringify(condition);
  return partsOf(filterOf(text).expr).some((part) => JSON.stringify(part) === wanted);
}

export function partsOf(expr: Expr | undefined): readonly Expr[] {
  if (expr === undefined) return [];
  const isList = Object.keys(expr).length === 1 && Array.isArray(expr['$and']);
  return isList ? (expr['$and'] as readonly Expr[]) : [expr];
}
