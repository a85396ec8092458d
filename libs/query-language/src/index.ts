export { compileExpr, prefilterExpr } from './compile-expr.js';
export { ALWAYS_UNDECIDED, type Undecided } from './undecided.js';
export type { Expr, Operation } from './expr.js';
export { ExprError, shown, type Place } from './expr-error.js';
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
export { JsonText, QuickJsonText } from './json-text.js';
export { MissingJson } from './missing-json.js';
export { parseQuery } from './parse-expr.js';
export { payloadUses, requireFewPayloads } from './payload-uses.js';
export { asIndex, parsePath } from './parse-path.js';
export { mergeEqualities } from './merge-equalities.js';
export { sortKeys, type Direction } from './sort-keys.js';
export { UnparsedText } from './unparsed-text.js';
export type { Json, Plain, Value } from './value.js';
