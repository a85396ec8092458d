import {
  allOf,
  type Expr,
  field,
  FilterError,
  literal,
  parseFilter,
} from '@app/query-language/text';
import type { TracesSearch } from './traces-search.js';

export const RANGES: readonly (readonly [value: string, label: string, ms: number])[] = [
  ['15m', 'Last 15 minutes', 900_000],
  ['1h', 'Last hour', 3_600_000],
  ['24h', 'Last 24 hours', 86_400_000],
  ['7d', 'Last 7 days', 7 * 86_400_000],
  ['30d', 'Last 30 days', 30 * 86_400_000],
];

export interface TimeRange {
  readonly start?: string;
  readonly end?: string;
}

export function rangeOf({ last, from, to }: TracesSearch, now: number): TimeRange {
  const ms = RANGES.find(([value]) => value === last)?.[2];
  if (ms !== undefined) return { start: new Date(now - ms).toISOString() };
  return { ...(isDate(from) && { start: from }), ...(isDate(to) && { end: to }) };
}

const isDate = (text: string | undefined): text is string =>
  text !== undefined && !Number.isNaN(Date.parse(text));

const DEFAULT_SORT = '-started_at';

export interface Sort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** `-started_at` is descending by `started_at`. */
export function sortOf(text = DEFAULT_SORT): Sort {
  const isDescending = text.startsWith('-');
  return { field: text.slice(isDescending ? 1 : 0), direction: isDescending ? 'desc' : 'asc' };
}

/** Which calls the list shows, as the operations expect it. */
export interface CallsCondition {
  readonly project_id: string;
  readonly filter: { readonly trace_roots_only?: true };
  readonly query?: { readonly $expr: Expr };
}

export function conditionOf(projectId: string, search: TracesSearch): CallsCondition {
  const expr = filterOf(search.q).expr;
  return {
    project_id: projectId,
    filter: search.calls === 'all' ? {} : { trace_roots_only: true },
    ...(expr && { query: { $expr: expr } }),
  };
}

/** The same with the time range as part of the query, and an order. */
export function listRequest(projectId: string, search: TracesSearch, now: number) {
  const { query, ...condition } = conditionOf(projectId, search);
  const { start, end } = rangeOf(search, now);
  const started = field('started_at');
  const expr = allOf([
    query?.$expr,
    start === undefined ? undefined : { $gte: [started, literal(start)] },
    end === undefined ? undefined : { $lt: [started, literal(end)] },
  ]);
  return {
    ...condition,
    ...(expr && { query: { $expr: expr } }),
    sort_by: [sortOf(search.sort)],
  };
}

/** The page after a call in the order of time. The first condition is redundant, but an index can use only that one. */
export function afterCall(
  { field: name, direction }: Sort,
  last: { readonly started_at: string; readonly id: string },
): Expr | undefined {
  if (name !== 'started_at') return undefined;
  const [orEqual, after] = direction === 'asc' ? ['$gte', '$gt'] : ['$lte', '$lt'];
  const started = [field('started_at'), literal(last.started_at)];
  return {
    $and: [
      { [orEqual]: started },
      { $or: [{ [after]: started }, { [after]: [field('id'), literal(last.id)] }] },
    ],
  };
}

/** A text that the filter searches for in payloads, so that the list can mark it. */
export function searchedText(expr: Expr | undefined): string | undefined {
  if (expr === undefined) return undefined;
  for (const list of [expr['$and'], expr['$or']]) {
    if (!Array.isArray(list)) continue;
    const found = (list as Expr[]).map(searchedText).find((text) => text !== undefined);
    if (found !== undefined) return found;
  }
  const { input, substr } = (expr['$contains'] ?? {}) as Readonly<Record<string, Expr | undefined>>;
  const [path, text] = [input?.['$getField'], substr?.['$literal']];
  const isInPayload = typeof path === 'string' && /^(inputs|output)(\.|$)/.test(path);
  return isInPayload && typeof text === 'string' && text !== '' ? text : undefined;
}

export interface ParsedFilter {
  readonly expr?: Expr | undefined;
  readonly error?: FilterError;
}

/** A text that cannot be read is an error to show and no filter. */
export function filterOf(text = ''): ParsedFilter {
  try {
    return { expr: parseFilter(text) };
  } catch (error) {
    if (error instanceof FilterError) return { error };
    throw error;
  }
}
