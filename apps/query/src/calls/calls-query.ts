import { and, join, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsFilter, SortField } from '@app/contracts';
import {
  compileExpr,
  prefilterExpr,
  ALWAYS_UNDECIDED,
  parseQuery,
  sortKeys,
  type Direction,
  type Undecided,
  type Expr,
  type FieldMap,
  type Operation,
} from '@app/query-language';
import type { PrefilterFields } from '../expansion/expanded-fields.js';
import { directionOf } from '../paging.js';
import { filterConditions, isNarrow, startedSince } from './calls-where.js';

/** Which calls, in which order, and how to look for them. */
export interface CallsQuery {
  readonly projectId: string;
  /** Undefined: every call of the project. */
  readonly where: Sql | undefined;
  /** What every call that matches fulfils, without a look into payloads. The same as `where` when it needs none. */
  readonly prefilter: Sql | undefined;
  /** `where` may read payloads, and is then dear to plan and to evaluate. */
  readonly readsPayloads: boolean;
  /** Nothing but the time of their start decides which calls match. */
  readonly isByTimeOnly: boolean;
  /** Few calls are expected to match, so their keys are found first. */
  readonly isNarrow: boolean;
  /** Only calls with feedback of a certain kind match: where there is little of it, few calls are expected after all. */
  readonly namesFeedback: boolean;
  /** The keys of all calls that match, once they are known; then no condition is left. */
  readonly at?: Sql;
  /** Of calls in the order of time, only those in here. */
  readonly window?: Sql | undefined;
  readonly order: Order;
  /** Set when leaves might answer alone: then the answer costs a fraction. */
  readonly byLeaves: LeafOnlyQuery | undefined;
  readonly limit: number | undefined;
  readonly offset: number;
}

export interface Order {
  readonly by: Sql;
  /** Set when it is the order in which calls are stored, or its reverse. */
  readonly byTime: Direction | undefined;
}

/** A question by leaves alone. Right unless a call that might match is in undecided. */
export interface LeafOnlyQuery {
  readonly where: Sql | undefined;
  readonly isNarrow: boolean;
  readonly order: Order;
  readonly undecided: readonly Undecided[];
  /** Which calls a undecided matters about: those that might match, as far as that can be told without searching texts. */
  readonly scope: Sql | undefined;
}

export interface CallsRequest {
  readonly project_id: string;
  readonly filter?: CallsFilter | null;
  readonly query?: object | null;
  readonly sort_by?: readonly SortField[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  /** Calls that started before this moment (µs) are past their retention: nobody sees them. */
  readonly since?: number | undefined;
}

export function callsQuery(request: CallsRequest, fields: PrefilterFields): CallsQuery {
  const filter = request.filter ?? {};
  const expr = request.query ? parseQuery(request.query) : undefined;
  const given = filterConditions(request.project_id, filter);
  const filters = [...startedSince(request.since), ...given];
  const exact = expr ? [compileExpr(expr, fields)] : [];
  const prefilters = expr ? [prefilterExpr(expr, (undecided) => fields.prefilter(undecided))] : [];
  const prefilter = allOf([...filters, ...prefilters]);
  const scope = expr && searchesPayloads(expr) ? allOf(filters) : prefilter;
  return {
    projectId: request.project_id,
    where: allOf([...filters, ...exact]),
    prefilter,
    readsPayloads: expr !== undefined && readsPayloads(expr, fields),
    isByTimeOnly: given.length === 0 && expr === undefined,
    isNarrow: isNarrow(filter) || (expr !== undefined && looksNarrow(expr, true)),
    namesFeedback: expr !== undefined && namesFeedback(expr),
    order: callsOrder(request.sort_by ?? [], fields),
    byLeaves: byLeaves(request, expr, filters, scope, fields),
    limit: counted(request.limit),
    offset: counted(request.offset) ?? 0,
  };
}

function byLeaves(
  { filter, sort_by }: CallsRequest,
  expr: Operation | undefined,
  filters: readonly Sql[],
  scope: Sql | undefined,
  fields: PrefilterFields,
): LeafOnlyQuery | undefined {
  const undecided: Undecided[] = [];
  const guessing = fields.prefilter(undecided);
  const where = allOf([...filters, ...(expr ? [compileExpr(expr, guessing)] : [])]);
  const order = callsOrder(sort_by ?? [], guessing);
  const mayDecide = undecided.length > 0 && !undecided.includes(ALWAYS_UNDECIDED);
  if (!mayDecide) return undefined;
  const narrow = isNarrow(filter ?? {}) || (expr !== undefined && looksNarrow(expr, false));
  return { where, isNarrow: narrow, order, undecided, scope };
}

/** Whether leaves could leave anything open. */
function readsPayloads(expr: Operation, fields: PrefilterFields): boolean {
  const undecided: Undecided[] = [];
  compileExpr(expr, fields.prefilter(undecided));
  return undecided.length > 0;
}

const allOf = (conditions: readonly Sql[]) => (conditions.length > 0 ? and(conditions) : undefined);

/** More than the store can count to is as good as all. */
function counted(count: number | null | undefined): number | undefined {
  return count === null || count === undefined ? undefined : Math.min(count, 2 ** 53 - 1);
}

const KEYED = ['id', 'trace_id', 'parent_id', 'thread_id'];
const PAYLOAD =
  /^(attributes|inputs|output|otel_dump|summary(?!\.weave\.(status|latency_ms|trace_name|total_cost)$))\b/;

/**
 * One part of it alone leaves few calls: it names ids or a value of a payload; or it reads payloads, which is so dear
 * with FINAL that finding the keys first pays in any case.
 */
function looksNarrow(expr: Expr, readsPayloads: boolean): boolean {
  if (expr.kind === 'all') return expr.of.some((part) => looksNarrow(part, readsPayloads));
  if (expr.kind === 'in' || expr.kind === 'contains') return isNarrowField(expr.input, true);
  if (expr.kind !== 'compare') return false;
  const namesValue = expr.by === 'eq';
  return [expr.left, expr.right].some(
    (side) => isNarrowField(side, namesValue) || (readsPayloads && isPayload(side)),
  );
}

function isNarrowField(expr: Expr, namesValue: boolean): boolean {
  return namesValue && (isPayload(expr) || (expr.kind === 'field' && KEYED.includes(expr.path)));
}

function namesFeedback(expr: Expr): boolean {
  if (expr.kind === 'all') return expr.of.some(namesFeedback);
  if (expr.kind === 'contains') return isFeedback(expr.input) && isSomething(expr.substr);
  if (expr.kind !== 'compare' || expr.by !== 'eq') return false;
  const sides = [expr.left, expr.right];
  return sides.some(isFeedback) && sides.some(isSomething);
}

const isFeedback = (expr: Expr) => expr.kind === 'field' && expr.path.startsWith('feedback.[');
/** A value that calls without feedback do not have. */
const isSomething = (expr: Expr) =>
  expr.kind === 'literal' && expr.value !== null && expr.value !== '';

function searchesPayloads(expr: Expr): boolean {
  if (expr.kind === 'all' || expr.kind === 'any') return expr.of.some(searchesPayloads);
  if (expr.kind === 'not') return searchesPayloads(expr.of);
  return expr.kind === 'contains' && isPayload(expr.input);
}

const isPayload = (expr: Expr) => expr.kind === 'field' && PAYLOAD.test(expr.path);

/** Oldest first unless asked otherwise; the id decides between equals, so that pages neither overlap nor miss. */
function callsOrder(sortBy: readonly SortField[], fields: FieldMap): Order {
  const given = sortBy.map((key, i) => ({ field: key.field, direction: directionOf(key, i) }));
  const asked = given.length > 0 ? given : [{ field: 'started_at', direction: 'asc' } as const];
  const keys = asked.map(({ field, direction }, i) =>
    field === 'started_at' || field === 'id'
      ? plainKey(field, direction)
      : sortKeys(fields.field(field, ['sort_by', i, 'field']), direction, ['sort_by', i, 'field']),
  );
  const hasId = asked.some(({ field }) => field === 'id');
  const last = asked.at(-1)!;
  const tieBreak = last.field === 'started_at' ? last.direction : 'desc';
  return {
    by: join([...keys, ...(hasId ? [] : [plainKey('id', tieBreak)])], ', '),
    byTime: asked.length === 1 && asked[0]!.field === 'started_at' ? last.direction : undefined,
  };
}

const plainKey = (column: 'started_at' | 'id', direction: Direction) =>
  sql`${raw(column)} ${raw(direction === 'asc' ? 'ASC' : 'DESC')}`;
