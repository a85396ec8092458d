import { and, join, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsFilter, SortField } from '@app/contracts';
import {
  compileExpr,
  mergeEqualities,
  prefilterExpr,
  payloadUses,
  requireFewPayloads,
  ALWAYS_UNDECIDED,
  parseQuery,
  sortKeys,
  type Direction,
  type Undecided,
  type Expr,
  type FieldMap,
  type Operation,
} from '@app/query-language';
import type { Micros } from '@app/wire';
import type { PrefilterFields } from '../expansion/expanded-fields.js';
import { directionOf, sortFields } from '../paging.js';
import { filterConditions, isNarrow, startedSince } from './calls-where.js';

/** Which calls to read, in which order, and how to find them. */
export interface CallsQuery {
  readonly projectId: string;
  /** Undefined: every call of the project. */
  readonly where: Sql | undefined;
  /** Holds for every matching call and reads no payload. Equal to `where` when `where` reads none either. */
  readonly prefilter: Sql | undefined;
  /** `where` may read payloads, and is then expensive to plan and to evaluate. */
  readonly readsPayloads: boolean;
  /** How often `where` and `order` name payloads. Bounds the time to plan a statement with them. */
  readonly payloadUses: number;
  /** The start time alone decides which calls match. */
  readonly isByTimeOnly: boolean;
  /** Few calls are expected to match, so their keys are found first. */
  readonly isNarrow: boolean;
  /**
   * False when few calls match but no index finds them. To find their keys first saves payloads, but costs a count more
   * than it saves: leaves are read twice where the matching calls are in most granules.
   */
  readonly isIndexed: boolean;
  /** Only calls with certain feedback match; where such feedback is rare, few calls do. */
  readonly namesFeedback: boolean;
  /** The keys of all matching calls, once a search has found them; they replace every condition. */
  readonly keys?: Sql;
  /** The part of the time order that is read now. */
  readonly window?: Sql | undefined;
  readonly order: Order;
  /** The same query without payloads, at a fraction of the cost. Set when leaves alone may decide it. */
  readonly leafOnly: LeafOnlyQuery | undefined;
  readonly limit: number | undefined;
  readonly offset: number;
}

interface Order {
  readonly by: Sql;
  /** Set when this is the order in which calls are stored, or its reverse. */
  readonly byTime: Direction | undefined;
}

/** A query by leaves alone. Its result is right unless a call in `scope` is undecided. */
export interface LeafOnlyQuery {
  readonly where: Sql | undefined;
  readonly isNarrow: boolean;
  readonly isIndexed: boolean;
  readonly order: Order;
  readonly undecided: readonly Undecided[];
  /** The calls that may match, as far as that can be decided without a search in texts. */
  readonly scope: Sql | undefined;
}

export interface CallsRequest {
  readonly project_id: string;
  readonly filter?: CallsFilter | null;
  readonly query?: object | null;
  readonly sort_by?: readonly SortField[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** Calls that started before this timestamp are past their retention and invisible. */
  readonly since?: Micros | undefined;
}

export function callsQuery(request: CallsRequest, fields: PrefilterFields): CallsQuery {
  const filter = request.filter ?? {};
  const expr = request.query ? mergeEqualities(parseQuery(request.query)) : undefined;
  const conditions = filterConditions(request.project_id, filter);
  const filters = [...startedSince(request.since), ...conditions];
  const exact = expr ? [compileExpr(expr, fields)] : [];
  const prefilters = expr ? [prefilterExpr(expr, (undecided) => fields.prefilter(undecided))] : [];
  const prefilter = allOf([...filters, ...prefilters]);
  const scope = expr && searchesPayloads(expr) ? allOf(filters) : prefilter;
  return {
    projectId: request.project_id,
    where: allOf([...filters, ...exact]),
    prefilter,
    readsPayloads: expr !== undefined && readsPayloads(expr, fields),
    payloadUses: payloadUses({ expr, sortBy: sortFields(request.sort_by) }, fields),
    isByTimeOnly: conditions.length === 0 && expr === undefined,
    isNarrow: isNarrow(filter) || (expr !== undefined && isNarrowExpr(expr, true)),
    isIndexed: true,
    namesFeedback: expr !== undefined && namesFeedback(expr),
    order: callsOrder(request.sort_by ?? [], fields),
    leafOnly: leafOnlyQuery(request, expr, filters, scope, fields),
    limit: bounded(request.limit),
    offset: bounded(request.offset) ?? 0,
  };
}

/** As `callsQuery`, for statements that always read the payloads which the conditions name. */
export function exactCallsQuery(request: CallsRequest, fields: PrefilterFields): CallsQuery {
  const query = callsQuery(request, fields);
  requireFewPayloads(query.payloadUses);
  return query;
}

function leafOnlyQuery(
  { filter, sort_by }: CallsRequest,
  expr: Operation | undefined,
  filters: readonly Sql[],
  scope: Sql | undefined,
  fields: PrefilterFields,
): LeafOnlyQuery | undefined {
  const undecided: Undecided[] = [];
  const leaves = fields.prefilter(undecided);
  const where = allOf([...filters, ...(expr ? [compileExpr(expr, leaves)] : [])]);
  const order = callsOrder(sort_by ?? [], leaves);
  const mayDecide = undecided.length > 0 && !undecided.includes(ALWAYS_UNDECIDED);
  if (!mayDecide) return undefined;
  const narrow = isNarrow(filter ?? {}) || (expr !== undefined && isNarrowExpr(expr, false));
  const isIndexed = isNarrow(filter ?? {}) || (expr !== undefined && namesKeys(expr));
  return { where, isNarrow: narrow, isIndexed, order, undecided, scope };
}

/** Whether any call could be undecided by leaves alone. */
function readsPayloads(expr: Operation, fields: PrefilterFields): boolean {
  const undecided: Undecided[] = [];
  compileExpr(expr, fields.prefilter(undecided));
  return undecided.length > 0;
}

const allOf = (conditions: readonly Sql[]) => (conditions.length > 0 ? and(conditions) : undefined);

/** A larger number is not exact in JavaScript, and no project has that many calls. */
function bounded(count: number | null | undefined): number | undefined {
  return count === null || count === undefined ? undefined : Math.min(count, 2 ** 53 - 1);
}

const KEYED = ['id', 'trace_id', 'parent_id', 'thread_id'];
const PAYLOAD =
  /^(attributes|inputs|output|otel_dump|summary(?!\.weave\.(status|latency_ms|trace_name|total_cost|total_tokens)$))\b/;

/**
 * Whether one part of the condition alone selects few calls, because it names ids or a value of a payload. A condition
 * that reads payloads counts as narrow as well: with FINAL it is so expensive that finding the keys first always pays.
 */
function isNarrowExpr(expr: Expr, readsPayloads: boolean): boolean {
  if (expr.kind === 'all') return expr.of.some((part) => isNarrowExpr(part, readsPayloads));
  if (expr.kind === 'in' || expr.kind === 'contains') return isNarrowField(expr.input, true);
  if (expr.kind !== 'compare') return false;
  const namesValue = expr.by === 'eq';
  return [expr.left, expr.right].some(
    (side) => isNarrowField(side, namesValue) || (readsPayloads && isPayload(side)),
  );
}

function isNarrowField(expr: Expr, namesValue: boolean): boolean {
  return namesValue && (isPayload(expr) || isKey(expr));
}

/** Whether one part of the condition alone selects calls by ids that have an index. */
function namesKeys(expr: Expr): boolean {
  if (expr.kind === 'all') return expr.of.some(namesKeys);
  if (expr.kind === 'in') return isKey(expr.input);
  return expr.kind === 'compare' && expr.by === 'eq' && [expr.left, expr.right].some(isKey);
}

const isKey = (expr: Expr) => expr.kind === 'field' && KEYED.includes(expr.path);

function namesFeedback(expr: Expr): boolean {
  if (expr.kind === 'all') return expr.of.some(namesFeedback);
  if (expr.kind === 'contains') return isFeedback(expr.input) && isSomething(expr.substr);
  if (expr.kind !== 'compare' || expr.by !== 'eq') return false;
  const sides = [expr.left, expr.right];
  return sides.some(isFeedback) && sides.some(isSomething);
}

const isFeedback = (expr: Expr) => expr.kind === 'field' && expr.path.startsWith('feedback.[');
/** A literal that no call without feedback can equal. */
const isSomething = (expr: Expr) =>
  expr.kind === 'literal' && expr.value !== null && expr.value !== '';

function searchesPayloads(expr: Expr): boolean {
  if (expr.kind === 'all' || expr.kind === 'any') return expr.of.some(searchesPayloads);
  if (expr.kind === 'not') return searchesPayloads(expr.of);
  return expr.kind === 'contains' && isPayload(expr.input);
}

const isPayload = (expr: Expr) => expr.kind === 'field' && PAYLOAD.test(expr.path);

/** Oldest first by default. The id is the last key, so that pages neither overlap nor leave gaps. */
function callsOrder(sortBy: readonly SortField[], fields: FieldMap): Order {
  const given = sortBy.map((key, i) => ({ field: key.field, direction: directionOf(key, i) }));
  const sorting = given.length > 0 ? given : [{ field: 'started_at', direction: 'asc' } as const];
  const keys = sorting.map(({ field, direction }, i) =>
    field === 'started_at' || field === 'id'
      ? plainKey(field, direction)
      : sortKeys(fields.field(field, ['sort_by', i, 'field']), direction, ['sort_by', i, 'field']),
  );
  const hasId = sorting.some(({ field }) => field === 'id');
  const last = sorting.at(-1)!;
  const tieBreak = last.field === 'started_at' ? last.direction : 'desc';
  return {
    by: join([...keys, ...(hasId ? [] : [plainKey('id', tieBreak)])], ', '),
    byTime: sorting.length === 1 && sorting[0]!.field === 'started_at' ? last.direction : undefined,
  };
}

const plainKey = (column: 'started_at' | 'id', direction: Direction) =>
  sql`${raw(column)} ${raw(direction === 'asc' ? 'ASC' : 'DESC')}`;
