import {
  contains,
  type Expr,
  field,
  type Literal,
  literal,
  printFilter,
} from '@app/query-language/text';
import { usesModel } from '../traces/uses-model.js';

/** Groups that have a name of their own. Any path into a payload is a group too. */
export const GROUPS = ['op', 'model', 'user', 'status', 'thread', 'run'];

const FIELDS: Readonly<Record<string, string>> = {
  user: 'wb_user_id',
  status: 'summary.weave.status',
  thread: 'thread_id',
  run: 'wb_run_id',
};
const PATH = /^(inputs|output|attributes|summary)\../;

export const isGroup = (by: string): boolean => GROUPS.includes(by) || PATH.test(by);

/** The filter of a list for the calls of a group; undefined when the list has none for it. */
export function groupFilter(by: string, value: string): string | undefined {
  const expr = groupExpr(by, value);
  return expr && printFilter(expr);
}

function groupExpr(by: string, value: string): Expr | undefined {
  if (by === 'model') return value === '' ? WITHOUT_USAGE : usesModel(value);
  if (by === 'op') return isOfOp(value);
  const path = FIELDS[by] ?? (PATH.test(by) ? by : undefined);
  if (path === undefined) return undefined;
  return anyOf(valuesOf(path, value).map((one) => ({ $eq: [field(path), literal(one)] })));
}

const WITHOUT_USAGE: Expr = { $eq: [field('summary.usage'), literal(null)] };

/** A group of ops has the calls of all versions: refs that end with a digest, or calls that have the plain name. */
const isOfOp = (op: string): Expr =>
  op.startsWith('weave:///')
    ? contains('op_name', `${op}:`)
    : { $eq: [field('op_name'), literal(op)] };

/** Groups have the text of a value, which a number and a string may share. An empty group has the calls without a value. */
function valuesOf(path: string, text: string): readonly Literal[] {
  if (text === '') return [null];
  return PATH.test(path) && /^(-?(0|[1-9]\d{0,14})(\.\d{1,9})?|true|false)$/.test(text)
    ? [text, JSON.parse(text) as number | boolean]
    : [text];
}

const anyOf = (conditions: readonly Expr[]): Expr =>
  conditions.length === 1 ? conditions[0]! : { $or: conditions };
