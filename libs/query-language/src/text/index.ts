// Filters as text. The page imports this file in the browser, so it depends on nothing else, not even on the rest of the library.
export {
  ALIASES,
  allOf,
  contains,
  field,
  freeText,
  literal,
  nameOf,
  OP,
  pathOf,
  type Expr,
  type Literal,
} from './filter-expr.js';
export { FilterError, parseFilter } from './parse-filter.js';
export { isBare, printFilter, quoted } from './print-filter.js';
