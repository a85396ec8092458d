import { isOpName, nameOf, OP, opNamed, pathOf, type Expr, type Literal } from './filter-expr.js';

/** A word that needs no quotes: it is neither a number nor a keyword, and starts like a name. */
const BARE = /^[A-Za-z_][\w.\-\\[\]*/:@]*$/;
const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'true', 'false', 'null']);

export const isBare = (text: string): boolean =>
  BARE.test(text) && !KEYWORDS.has(text.toLowerCase());

export const quoted = (text: string): string => JSON.stringify(text);

const COMPARISONS: Readonly<Record<string, string>> = {
  $eq: '=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
};

/** The text of a filter. `parseFilter` makes the same expression of it; what has no text form is printed as JSON. */
export function printFilter(expr: Expr): string {
  return print(expr, false);
}

function print(expr: Expr, isOperand: boolean): string {
  const free = freeTextIn(expr);
  if (free !== undefined) return quoted(free);
  const named = opNameIn(expr);
  if (named !== undefined) return `op = ${word(named)}`;
  const [operator, ...more] = Object.keys(expr);
  const value = operator === undefined ? undefined : expr[operator];
  const text = more.length > 0 ? undefined : printOperator(operator, value, isOperand);
  return text ?? JSON.stringify(expr);
}

function printOperator(
  operator: string | undefined,
  value: unknown,
  isOperand: boolean,
): string | undefined {
  if (operator === '$and' || operator === '$or') {
    if (!isList(value) || value.length < 2 || !value.every(isExpr)) return undefined;
    const names = operator === '$or' ? value.map(opNameIn) : [undefined];
    if (!names.includes(undefined)) return `op in (${names.map((name) => word(name!)).join(', ')})`;
    const text = value.map((one) => print(one, true)).join(operator === '$and' ? ' and ' : ' or ');
    return isOperand ? `(${text})` : text;
  }
  if (operator === '$not') {
    if (!isList(value) || value.length !== 1 || !isExpr(value[0])) return undefined;
    return negated(value[0]) ?? `not ${print(value[0], true)}`;
  }
  if (operator === '$in') return printIn(value);
  if (operator === '$contains') return printContains(value);
  const sign = operator === undefined ? undefined : COMPARISONS[operator];
  return sign === undefined ? undefined : printComparison(sign, value);
}

/** `a != b` and `a !~ b`, which read better than `not a = b`. */
function negated(expr: Expr): string | undefined {
  if (Object.keys(expr).length !== 1) return undefined;
  const named = opNameIn(expr);
  if (named !== undefined) return `op != ${word(named)}`;
  if ('$eq' in expr) return printComparison('!=', expr['$eq']);
  if ('$contains' in expr) return printContains(expr['$contains'], '!~');
  return undefined;
}

function printComparison(sign: string, value: unknown): string | undefined {
  if (!isList(value) || value.length !== 2) return undefined;
  const path = fieldIn(value[0]);
  const compared = literalIn(value[1]);
  if (path === undefined || compared === undefined) return undefined;
  return `${nameFor(path, [compared])} ${sign} ${printLiteral(compared, path)}`;
}

/** `op = x` is the op with the name x, whatever its version; the stored field is called by its own name. */
const nameFor = (path: string, values: readonly Literal[]): string =>
  path === OP && values.some(isOpName) ? OP : nameOf(path);

function printIn(value: unknown): string | undefined {
  if (!isList(value) || value.length !== 2 || !isList(value[1]) || value[1].length === 0)
    return undefined;
  const path = fieldIn(value[0]);
  const values = value[1].map(literalIn).filter((one) => one !== undefined);
  if (path === undefined || values.length < value[1].length) return undefined;
  const list = values.map((one) => printLiteral(one, path)).join(', ');
  return `${nameFor(path, values)} in (${list})`;
}

function printContains(value: unknown, sign = '~'): string | undefined {
  if (!isExpr(value) || Object.keys(value).length !== 3) return undefined;
  const path = fieldIn(value['input']);
  const text = literalIn(value['substr']);
  if (path === undefined || typeof text !== 'string' || value['case_insensitive'] !== true)
    return undefined;
  return `${nameOf(path)} ${sign} ${quoted(text)}`;
}

const word = (text: string): string => (isBare(text) ? text : quoted(text));

function printLiteral(value: Literal, path: string): string {
  if (typeof value === 'string') return word(value);
  if (typeof value === 'number' && path === pathOf('latency')) return printMs(value);
  return JSON.stringify(value);
}

const printMs = (ms: number) =>
  ms >= 1000 && Number.isSafeInteger(ms) && ms % 100 === 0 && (ms / 1000) * 1000 === ms
    ? `${ms / 1000}s`
    : JSON.stringify(ms);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isExpr = (value: unknown): value is Expr =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path of `{"$getField": path}` that the text can name, else undefined. */
function fieldIn(value: unknown): string | undefined {
  if (!isExpr(value) || Object.keys(value).length !== 1) return undefined;
  const path = value['$getField'];
  const isNamed = typeof path === 'string' && isBare(nameOf(path)) && pathOf(nameOf(path)) === path;
  return isNamed ? path : undefined;
}

function literalIn(value: unknown): Literal | undefined {
  if (!isExpr(value) || Object.keys(value).length !== 1 || !('$literal' in value)) return undefined;
  const inner = value['$literal'];
  const isPlain =
    inner === null ||
    typeof inner === 'string' ||
    typeof inner === 'number' ||
    typeof inner === 'boolean';
  return isPlain ? inner : undefined;
}

/** The text of an expression that `freeText` made. */
function freeTextIn(expr: Expr): string | undefined {
  const parts = expr['$or'];
  if (Object.keys(expr).length !== 1 || !isList(parts) || parts.length !== 2) return undefined;
  const texts = parts.map((part, index) => {
    const inner = isExpr(part) && Object.keys(part).length === 1 ? part['$contains'] : undefined;
    if (!isExpr(inner) || Object.keys(inner).length !== 3 || inner['case_insensitive'] !== true)
      return undefined;
    const isPlace = fieldIn(inner['input']) === ['inputs', 'output'][index];
    return isPlace ? literalIn(inner['substr']) : undefined;
  });
  return typeof texts[0] === 'string' && texts[0] === texts[1] ? texts[0] : undefined;
}

/** The name of an expression that `opNamed` made. */
function opNameIn(expr: Expr): string | undefined {
  const [first] = isList(expr['$or']) ? expr['$or'] : [];
  const compared = isExpr(first) && isList(first['$eq']) ? literalIn(first['$eq'][1]) : undefined;
  if (compared === undefined || !isOpName(compared)) return undefined;
  return JSON.stringify(expr) === JSON.stringify(opNamed(compared)) ? compared : undefined;
}
