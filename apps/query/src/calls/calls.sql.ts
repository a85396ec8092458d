import { and, bind, join, atMicros, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import type { Undecided } from '@app/query-language';
import { micros, type Micros } from '@app/wire';
import { startedSince } from './calls-where.js';
import type { UsageColumns } from '../costs/usage-columns.js';
import type { LeafOnlyQuery, CallsQuery } from './calls-query.js';

/** A row that a call's record is made from. A column that was not selected is absent. */
export interface CallRecordRow extends UsageColumns {
  readonly id: string;
  readonly project_id: string;
  readonly trace_id: string;
  readonly op_name: string;
  readonly started: number | string;
  readonly ended?: number | string;
  readonly parent_id?: string;
  readonly thread_id?: string;
  readonly turn_id?: string;
  readonly display_name?: string;
  readonly status?: string;
  readonly exception?: string;
  readonly user_id?: string;
  readonly run_id?: string;
  readonly run_step?: number | string;
  readonly run_step_end?: number | string;
  readonly attributes?: string;
  readonly inputs?: string;
  readonly output?: string;
  readonly summary?: string;
  readonly otel_dump?: string;
  readonly size_bytes?: number | string;
}

/** A column of the table by its name, or an expression with a name that is no column. */
export type SelectedColumn = string | Sql;

/** A row of `versionsOfCall`. */
export interface CallVersionRow extends CallRecordRow {
  /** Decimal: it may be larger than a number can be. */
  readonly version: string;
  readonly is_deleted: number | string;
}

/**
 * All rows of a call that are not merged yet, of which `newestVersion` chooses one. The bloom filter finds them. With `near`, only rows
 * that started about then are read: a row found there is the call, but where none is found the call may have started at another time.
 */
export function versionsOfCall(
  projectId: string,
  id: string,
  columns: readonly SelectedColumn[],
  since?: Micros,
  near?: Micros,
): Sql {
  return sql`SELECT ${columnList(columns)}, toString(version) AS version, is_deleted FROM calls
PREWHERE ${ofCall(projectId, id, since, near)}`;
}

/**
 * The one that `newestVersion` would choose, for calls whose rows are too large to be sent all. Sorting, and a query around it, take
 * ClickHouse a third of the time of a small call.
 */
export function newestVersionOfCall(
  projectId: string,
  id: string,
  columns: readonly SelectedColumn[],
  since?: Micros,
  near?: Micros,
): Sql {
  return sql`SELECT * EXCEPT is_deleted FROM (
  SELECT ${columnList(columns)}, is_deleted FROM calls PREWHERE ${ofCall(projectId, id, since, near)}
  ORDER BY version DESC, is_deleted LIMIT 1 BY started_at)
WHERE is_deleted = 0 LIMIT 1
SETTINGS query_plan_optimize_lazy_materialization = 0`;
}

const ofCall = (projectId: string, id: string, since?: Micros, near?: Micros): Sql =>
  and([
    sql`project_id = ${bind('String', projectId)}`,
    ...startedNear(near),
    sql`id = ${bind('String', id)}`,
    ...startedSince(since),
  ]);

/** How far the timestamp in an id may be from the start of its call. */
const NEAR_MICROS = 10_000_000;

function startedNear(timestamp: Micros | undefined): Sql[] {
  if (timestamp === undefined) return [];
  const [from, to] = [micros(timestamp - NEAR_MICROS), micros(timestamp + NEAR_MICROS)];
  return [sql`started_at BETWEEN ${atMicros(from)} AND ${atMicros(to)}`];
}

/**
 * The keys of the first rows in the order of time, from either end, without FINAL: one and a half times the limit,
 * since some may be outdated. LIMIT BY makes them distinct; DISTINCT would keep ClickHouse reading where it can stop.
 */
function firstKeys({ projectId, prefilter, order }: CallsQuery, limit: number): Sql {
  return sql`SELECT started_at, id FROM calls
    WHERE ${and([sql`project_id = ${bind('String', projectId)}`, prefilter, sql`is_deleted = 0`])}
    ORDER BY ${order.by} LIMIT 1 BY started_at, id LIMIT ${bind('UInt64', firstKeysMax(limit))}`;
}

/** The same as rows of `CallKey`. */
export const firstKeyRows = (query: CallsQuery, limit: number): Sql =>
  sql`SELECT toUnixTimestamp64Micro(started_at) AS started, id FROM (${firstKeys(query, limit)})`;

export const firstKeysMax = (limit: number): number => limit + Math.ceil(limit / 2);

/**
 * The first page in the order of time, from either end. `keys` has its first keys; the query around it applies FINAL and
 * the conditions to those; the outermost reads the payloads of the page. The page is short when many of the rows were
 * outdated; `keysOfCalls` then finds the rest.
 */
export function firstPageOfCalls(
  query: CallsQuery,
  limit: number,
  columns: readonly SelectedColumn[],
  keys = firstKeys(query, limit),
): Sql {
  const { projectId, where, order } = query;
  const project = bind('String', projectId);
  const calls = sql`SELECT started_at, id FROM calls FINAL
  PREWHERE project_id = ${project} AND (started_at, id) IN (${keys})${conditions(where)}
  ORDER BY ${order.by} LIMIT ${bind('UInt64', limit)}`;
  return sql`${rowsAt(project, calls, columns)}
ORDER BY ${order.by}
LIMIT 1 BY id${PAGE_SETTINGS}`;
}

/**
 * A page of one op stops when it is full, or reads the names of all ops, which are few bytes. The index of ops is read for all calls of
 * the project before that, and half of the time of a page of ten million calls was that.
 */
const WITHOUT_OP_INDEX = `ignore_data_skipping_indices = 'by_op'`;

/** ClickHouse reads a block of every part, also for a page of fifty calls. With the default of 65,536 rows that takes half as long again. */
const SMALL_BLOCKS = 'max_block_size = 8192';

const PAGE_SETTINGS = raw(`\nSETTINGS ${WITHOUT_OP_INDEX}, ${SMALL_BLOCKS}`);

/** Calls with their payloads, in the order in which they are stored: ClickHouse can return them while it reads. */
export function allCalls(query: CallsQuery, columns: readonly SelectedColumn[]): Sql {
  const { projectId, order } = query;
  const project = bind('String', projectId);
  return sql`SELECT ${columnList(columns)}
FROM ${liveCalls(query, project)}
ORDER BY ${order.by}${page(query)}`;
}

/**
 * One row if any call in the scope is undecided by its leaves. Conditions that use the same index share a subquery: an
 * index is of no use beside a condition it does not cover, and a subquery per condition would repeat the scope.
 */
export function undecidedCalls(projectId: string, { undecided, scope }: LeafOnlyQuery): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const anyOf = (kind: readonly Undecided[]) => {
    const rows = join(
      kind.map((entry) => sql`(${entry.rows})`),
      ' OR ',
    );
    return sql`(SELECT 1 AS found FROM calls WHERE ${and([project, sql`(${rows})`, scope])} LIMIT 1)`;
  };
  const kinds = (['age', 'unindexed', 'leaf'] as const)
    .map((by) => undecided.filter((entry) => entry.by === by))
    .filter((kind) => kind.length > 0);
  return sql`SELECT found FROM (${join(kinds.map(anyOf), ' UNION ALL ')}) LIMIT 1`;
}

/** The keys of the matching calls, in the order of the query. */
export function keysOfCalls(query: CallsQuery): Sql {
  const calls = liveCalls(query, bind('String', query.projectId));
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started, id FROM ${calls}
ORDER BY ${query.order.by}${page(query)}`;
}

export interface CallKey {
  readonly started: number | string;
  readonly id: string;
}

/** The calls at these keys, in any order. */
export function callsAt(
  projectId: string,
  keys: readonly CallKey[],
  columns: readonly SelectedColumn[],
): Sql {
  return rowsAt(bind('String', projectId), keyList(keys), columns);
}

/** Keys as a subquery of (started_at, id). */
export function keyList(keys: readonly CallKey[]): Sql {
  const ids = bind(
    'Array(String)',
    keys.map(({ id }) => id),
  );
  return sql`SELECT fromUnixTimestamp64Micro(key.1, 'UTC'), key.2 FROM (SELECT arrayJoin(arrayZip(${startsOf(keys)}, ${ids})) AS key)`;
}

/** The start times of keys as a subquery. */
export function startList(keys: readonly CallKey[]): Sql {
  return sql`SELECT fromUnixTimestamp64Micro(arrayJoin(${startsOf(keys)}), 'UTC')`;
}

const startsOf = (keys: readonly CallKey[]) =>
  bind(
    'Array(Int64)',
    keys.map(({ started }) => Number(started)),
  );

/** Counts the matching calls, and their bytes when requested. With a limit, counting stops there. */
export function countCalls(query: CallsQuery, withBytes: boolean): Sql {
  const calls = liveCalls(query, bind('String', query.projectId));
  const totals = raw(withBytes ? 'count() AS count, sum(size_bytes) AS bytes' : 'count() AS count');
  if (query.limit === undefined) return sql`SELECT ${totals} FROM ${calls}`;
  const column = raw(withBytes ? 'size_bytes' : 'id');
  return sql`SELECT ${totals} FROM (SELECT ${column} FROM ${calls} LIMIT ${bind('UInt64', query.limit)})`;
}

/** The distinct refs in a column of the calls that may match. Outdated rows are read too; one ref more does no harm. */
export function refsOfCalls({ projectId, prefilter }: CallsQuery, column: Sql, limit: number): Sql {
  return sql`SELECT DISTINCT ${column} AS ref FROM calls
WHERE ${and([sql`project_id = ${bind('String', projectId)}`, prefilter, sql`startsWith(ref, 'weave:///')`])}
LIMIT ${bind('UInt64', limit)}`;
}

/** The bytes of each trace: the sum over its visible calls. */
export function traceSizes(projectId: string, traceIds: readonly string[], since?: Micros): Sql {
  const where = and([sql`trace_id IN ${bind('Array(String)', traceIds)}`, ...startedSince(since)]);
  const calls = liveCalls({ where, prefilter: where, isNarrow: true }, bind('String', projectId));
  return sql`SELECT trace_id, sum(size_bytes) AS bytes FROM ${calls} GROUP BY trace_id`;
}

type Where = Pick<CallsQuery, 'where' | 'prefilter' | 'isNarrow'> &
  Partial<Pick<CallsQuery, 'keys' | 'window'>>;

/**
 * The matching calls, each once, in their newest version. Where few are expected, a subquery finds their start times
 * first: that is most of their key, and ids, the most expensive column, are then read only once.
 */
export function liveCalls(
  { where, prefilter, isNarrow, keys, window }: Where,
  project: Bound,
): Sql {
  const ofProject = and([sql`project_id = ${project}`, window]);
  if (keys) return sql`calls FINAL PREWHERE ${ofProject} AND (started_at, id) IN (${keys})`;
  const starts = sql`SELECT started_at FROM calls WHERE ${and([ofProject, prefilter])}`;
  const atStarts = isNarrow && prefilter && sql`started_at IN (${starts})`;
  return sql`calls FINAL PREWHERE ${and([ofProject, atStarts])}${conditions(where)}`;
}

export function page({ limit, offset }: CallsQuery): Sql {
  const clause = limit === undefined ? raw('') : sql` LIMIT ${bind('UInt64', limit)}`;
  return offset === 0 ? clause : sql`${clause} OFFSET ${bind('UInt64', offset)}`;
}

/** PREWHERE on the key is safe under FINAL: all versions of a row share it. */
function rowsAt(project: Bound, keys: Sql, columns: readonly SelectedColumn[]): Sql {
  return sql`SELECT ${columnList(columns)}
FROM calls FINAL
PREWHERE project_id = ${project} AND (started_at, id) IN (${keys})`;
}

const conditions = (where: Sql | undefined) => (where ? sql` WHERE ${where}` : raw(''));

const TIME_COLUMNS: Readonly<Record<string, string>> = {
  started_at: 'toUnixTimestamp64Micro(started_at) AS started',
  ended_at: 'toUnixTimestamp64Micro(ended_at) AS ended',
};

function columnList(columns: readonly SelectedColumn[]): Sql {
  return join(
    columns.map((column) =>
      typeof column === 'string' ? raw(TIME_COLUMNS[column] ?? column) : column,
    ),
    ', ',
  );
}
