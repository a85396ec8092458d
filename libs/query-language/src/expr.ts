import type { Place } from './expr-error.js';

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';
export type ConvertTo = 'double' | 'int' | 'string' | 'bool' | 'exists';
export type LiteralValue = string | number | boolean | null;

interface Node<Kind extends string> {
  readonly kind: Kind;
  readonly at: Place;
}

interface All extends Node<'all'> {
  readonly of: readonly Expr[];
}
interface Any extends Node<'any'> {
  readonly of: readonly Expr[];
}
interface Not extends Node<'not'> {
  readonly of: Expr;
}
interface Compare extends Node<'compare'> {
  readonly by: Comparison;
  readonly left: Expr;
  readonly right: Expr;
}
export interface In extends Node<'in'> {
  readonly input: Expr;
  readonly list: readonly Expr[];
}
export interface Contains extends Node<'contains'> {
  readonly input: Expr;
  readonly substr: Expr;
  readonly ignoresCase: boolean;
}
interface FieldOf extends Node<'field'> {
  readonly path: string;
}
interface Literal extends Node<'literal'> {
  readonly value: LiteralValue;
}
interface Convert extends Node<'convert'> {
  readonly input: Expr;
  readonly to: ConvertTo;
}
export interface Size extends Node<'size'> {
  readonly input: Expr;
}

/** An expression that is true, false or unknown. */
export type Operation = All | Any | Not | Compare | In | Contains;
/** A parsed query. `at` of every node is its path in the request. */
export type Expr = Operation | FieldOf | Literal | Convert | Size;
