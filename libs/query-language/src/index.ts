export { compileExpr, guessExpr } from './compile-expr.js';
export { NO_IDEA, type Doubt } from './doubt.js';
export type { Expr, Operation } from './expr.js';
export { ExprError, shown, type Place, type Refusal } from './expr-error.js';
export {
  column,
  computed,
  never,
  textColumn,
  textsColumn,
  timeColumn,
  type FieldMap,
} from './field-map.js';
export { JsonLeaves } from './json-leaves.js';
export { JsonText } from './json-text.js';
export { NoJson } from './no-json.js';
export { parseQuery } from './parse-expr.js';
export { asIndex, parsePath } from './parse-path.js';
export { sortKeys, type Direction } from './sort-keys.js';
export { UnreadText } from './unread-text.js';
export type { Json, Plain, Value } from './value.js';
