import { micros, parseTimestamp, printTimestamp } from '@app/wire';
import type { Node } from './json-node.js';
import { fieldOf, type Plain, type SentCall, type Value } from './oracle-call.js';

/*
 * A second implementation of the query language: slow, in memory, and simple enough to be checked by reading. A truth
 * value is `true`, `false`, or null for unknown.
 */
type Truth = boolean | null;
type Json = any;

/** The query is invalid, and the service should refuse it. */
export class InvalidQueryError extends Error {}

export function matches(call: SentCall, query: Json): boolean {
  return truthOf(call, query.$expr) === true;
}

function truthOf(call: SentCall, expr: Json): Truth {
  const [[operator, given]] = Object.entries<Json>(expr) as [[string, Json]];
  switch (operator) {
    case '$and':
      return conjunction(given.map((one: Json) => truthOf(call, one)));
    case '$or':
      return negation(conjunction(given.map((one: Json) => negation(truthOf(call, one)))));
    case '$not':
      return negation(truthOf(call, given[0]));
    case '$eq':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return compared(operator, valueOf(call, given[0]), valueOf(call, given[1]));
    case '$in':
      return isIn(
        valueOf(call, given[0]),
        given[1].map((one: Json) => valueOf(call, one)),
      );
    case '$contains':
      return contains(
        valueOf(call, given.input),
        valueOf(call, given.substr),
        given.case_insensitive,
      );
    case '$literal':
      return Boolean(given);
    default:
      return asTruth(valueOf(call, expr));
  }
}

function conjunction(truths: Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}
const negation = (truth: Truth): Truth => (truth === null ? null : !truth);

function valueOf(call: SentCall, expr: Json): Value {
  const [[operator, given]] = Object.entries<Json>(expr) as [[string, Json]];
  switch (operator) {
    case '$getField':
      return fieldOf(call, given);
    case '$literal':
      return { ...literal(given), isLiteral: true };
    case '$convert':
      return converted(valueOf(call, given.input), given.to);
    case '$size':
      return { kind: 'number', value: sizeOf(valueOf(call, given)) };
    default:
      return { kind: 'bool', value: truthOf(call, expr) };
  }
}

function literal(value: Json): Plain {
  if (typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  return { kind: 'text', value: value === null ? null : value.toWellFormed() };
}

const isNullLiteral = (value: Value) =>
  value.isLiteral && value.kind === 'text' && value.value === null;

const exists = (value: Value): boolean =>
  value.kind === 'json'
    ? value.node !== undefined && value.node.type !== 'null'
    : value.kind === 'texts'
      ? value.value.length > 0
      : value.value !== null;

function compared(operator: string, left: Value, right: Value): Truth {
  if (isNullLiteral(left) || isNullLiteral(right)) {
    if (operator !== '$eq') return null;
    if (isNullLiteral(left) && isNullLiteral(right)) return true;
    return !exists(isNullLiteral(left) ? right : left);
  }
  if (operator === '$eq') {
    const any = equalsAny(left, right) ?? equalsAny(right, left);
    if (any !== undefined) return any.truth;
  }
  const [a, b] = alike(left, right);
  if (a === null || b === null) return null;
  const order =
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) : sign(a, b);
  return { $eq: order === 0, $gt: order > 0, $gte: order >= 0, $lt: order < 0, $lte: order <= 0 }[
    operator
  ]!;
}

/** Compares a constant with the values of many entries: true when any is equal, unknown when all are unknown. */
function equalsAny(many: Value, constant: Value): { truth: Truth } | undefined {
  if (many.kind !== 'json' || !many.entries || !constant.isLiteral) return undefined;
  // No entry counts as the empty text.
  const nodes = many.entries.length > 0 ? many.entries : [undefined];
  const truths = nodes.map((node) => compared('$eq', { kind: 'json', node }, constant));
  if (truths.includes(true)) return { truth: true };
  return { truth: truths.every((truth) => truth === null) ? null : false };
}

const sign = (a: Json, b: Json) => (a < b ? -1 : a > b ? 1 : 0);

/** Both values converted to one kind. */
function alike(left: Value, right: Value): [Json, Json] {
  if (left.kind === 'json' && right.kind === 'json') return [textOf(left.node), textOf(right.node)];
  if (left.kind === 'json') return [nodeAs(left.node, right.kind), (right as Plain).value];
  if (right.kind === 'json') return [left.value, nodeAs(right.node, left.kind)];
  if (left.kind === 'time' && right.isLiteral) return [left.value, timestampOf(right)];
  if (right.kind === 'time' && left.isLiteral) return [timestampOf(left), right.value];
  const kinds = [left.kind, right.kind].map((kind) => (kind === 'bool' ? 'number' : kind));
  if (kinds[0] !== kinds[1] || left.kind === 'texts') throw new InvalidQueryError(kinds.join());
  return [left.value, right.value];
}

function nodeAs(node: Node | undefined, kind: Value['kind']): Json {
  if (kind === 'text') return textOf(node);
  if (kind === 'number') return numberOf(textOf(node));
  if (kind === 'bool') return boolOf(textOf(node));
  throw new InvalidQueryError(kind);
}

function timestampOf({ value }: Json): number {
  const timestamp =
    typeof value === 'number'
      ? Math.round(value * 1e6)
      : typeof value === 'string'
        ? parseTimestamp(value)
        : undefined;
  if (timestamp === undefined) throw new InvalidQueryError(String(value));
  return timestamp;
}

function textOf(node: Node | undefined): string {
  if (node === undefined || node.type === 'null') return '';
  return node.type === 'string' ? node.value : node.text;
}

function numberOf(text: string): number | null {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
}

function integerOf(text: string): bigint | null {
  if (/^[+-]?\d+$/.test(text)) {
    const value = BigInt(text.replace('+', ''));
    return value === BigInt.asIntN(64, value) ? value : null;
  }
  const number = numberOf(text);
  return number !== null && Number.isInteger(number) && Math.abs(number) <= 2 ** 53
    ? BigInt(number)
    : null;
}

function boolOf(text: string): boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = numberOf(text);
  return number === 0 || number === 1 ? number === 1 : null;
}

function converted(value: Value, to: string): Value {
  if (to === 'exists') return { kind: 'bool', value: exists(value) };
  if (value.kind === 'texts' || (value.kind === 'time' && to === 'bool'))
    throw new InvalidQueryError(to);
  if (value.kind !== 'json' && value.value === null) return { kind: kindOf(to), value: null };
  if (value.kind === 'time') return convertedTime(value.value!, to);
  if (value.kind === 'number' && to === 'double') return value;
  if (value.kind === 'bool' && to === 'bool') return value;
  const text = value.kind === 'json' ? textOf(value.node) : String(value.value);
  if (to === 'double') return { kind: 'number', value: numberOf(text) };
  if (to === 'int') return { kind: 'number', value: integerOf(text) };
  if (to === 'bool') return { kind: 'bool', value: boolOf(text) };
  return { kind: 'text', value: text };
}

/** A time in seconds, or as text in the format of the wire. */
function convertedTime(timestamp: number, to: string): Value {
  if (to === 'string') return { kind: 'text', value: printTimestamp(micros(timestamp)) };
  const seconds = timestamp / 1_000_000;
  return { kind: 'number', value: to === 'int' ? Math.trunc(seconds) : seconds };
}

const kindOf = (to: string) => (to === 'string' ? 'text' : to === 'bool' ? 'bool' : 'number');

function sizeOf(value: Value): number | null {
  if (value.kind === 'texts') return value.value.length;
  if (value.kind === 'text') return value.value === null ? null : [...value.value].length;
  if (value.kind !== 'json') throw new InvalidQueryError('size');
  if (value.node?.type === 'list') return value.node.items.length;
  if (value.node?.type === 'object') return value.node.members.size;
  return value.node?.type === 'string' ? [...value.node.value].length : null;
}

function isIn(value: Value, list: Value[]): Truth {
  if (isNullLiteral(value)) return null;
  const truths = list
    .filter((one) => !isNullLiteral(one))
    .map((one) => compared('$eq', value, one));
  return negation(conjunction(truths.map(negation)));
}

function contains(value: Value, part: Value, ignoresCase: boolean): Truth {
  if (isNullLiteral(value) || isNullLiteral(part)) return null;
  if (part.kind !== 'json' && part.kind !== 'text') throw new InvalidQueryError(part.kind);
  const needle = part.kind === 'json' ? textOf(part.node) : part.value;
  if (value.kind === 'texts') {
    const cased = (text: string) => (ignoresCase ? text.toLowerCase() : text);
    return needle !== null && value.value.map(cased).includes(cased(needle));
  }
  if (value.kind !== 'json' && value.kind !== 'text') throw new InvalidQueryError(value.kind);
  if (value.kind === 'json' && value.entries && part.isLiteral) {
    const entries = value.entries.map((node) =>
      contains({ kind: 'json', node }, part, ignoresCase),
    );
    return needle === '' || entries.includes(true);
  }
  const text = value.kind === 'json' ? textOf(value.node) : value.value;
  if (text === null || needle === null) return null;
  return ignoresCase ? text.toLowerCase().includes(needle.toLowerCase()) : text.includes(needle);
}

function asTruth(value: Value): Truth {
  if (value.kind === 'texts' || value.kind === 'time') return exists(value);
  if (value.kind === 'number') return value.value === null ? null : Number(value.value) !== 0;
  if (value.kind === 'bool') return value.value;
  return value.kind === 'json'
    ? boolOf(textOf(value.node))
    : value.value === null
      ? null
      : boolOf(value.value);
}

type SortBy = { field: string; direction: 'asc' | 'desc' };

/** The calls in the requested order. */
export function sorted(calls: readonly SentCall[], sortBy: readonly SortBy[] | null): SentCall[] {
  const requested = sortBy?.length ? sortBy : [{ field: 'started_at', direction: 'asc' } as const];
  const last = requested.at(-1)!;
  const tie = {
    field: 'id',
    direction: last.field === 'started_at' ? last.direction : 'desc',
  } as const;
  const keys = requested.some(({ field }) => field === 'id') ? requested : [...requested, tie];
  return [...calls].sort((a, b) => {
    for (const key of keys) {
      const order = byField(key, a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function byField({ field, direction }: SortBy, a: SentCall, b: SentCall): number {
  const [x, y] = [fieldOf(a, field), fieldOf(b, field)];
  const way = direction === 'asc' ? 1 : -1;
  const presence = Number(exists(y)) - Number(exists(x));
  if (presence !== 0) return presence;
  if (x.kind !== 'json' || y.kind !== 'json')
    return way * ordered((x as Plain).value, (y as Plain).value);
  const [m, n] = [numberOf(textOf(x.node)), numberOf(textOf(y.node))];
  if ((m === null) !== (n === null)) return m === null ? 1 : -1;
  return way * (ordered(m, n) || ordered(textOf(x.node), textOf(y.node)));
}

function ordered(a: Json, b: Json): number {
  if (a === null || b === null) return 0;
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : sign(a, b);
}
