import { and, bind, join, atMicros, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import type { Direction, Undecided } from '@app/query-language';
import { startedSince } from './calls-where.js';
import type { UsageColumns } from '../costs/usage-columns.js';
import type { LeafOnlyQuery, CallsQuery } from './calls-query.js';

/** What a call is answered from. A column that was not selected is absent. */
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

/**
 * One call: its rows are found through the bloom filter, and at each key the newest of them counts, as FINAL would have
 * it but without a second look. A call whose start was sent again with another time has rows at several keys, of which one
 * is alive. Blank rows that hide others have the version of the row they make room for, so of equals the living one counts.
 * A living row found `near` a moment is the call, wherever else it has stood; where none is found, it may stand elsewhere.
 */
export function readCall(
  projectId: string,
  id: string,
  columns: readonly string[],
  since?: number,
  near?: number,
): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    ...startedNear(near),
    sql`id = ${bind('String', id)}`,
    ...startedSince(since),
  ]);
  const list = columnList(columns);
  return sql`SELECT * EXCEPT is_deleted FROM (
  SELECT ${list}, is_deleted FROM calls PREWHERE ${where}
  ORDER BY version DESC, is_deleted LIMIT 1 BY started_at)
WHERE is_deleted = 0 LIMIT 1
SETTINGS query_plan_optimize_lazy_materialization = 0`;
}

/** An id is made when its call starts, give or take. */
const NEAR_MICROS = 10_000_000;

function startedNear(near: number | undefined): Sql[] {
  if (near === undefined) return [];
  return [
    sql`started_at BETWEEN ${atMicros(near - NEAR_MICROS)} AND ${atMicros(near + NEAR_MICROS)}`,
  ];
}

/**
 * A page of the newest or oldest calls. First the keys of three times as many rows, without FINAL; then FINAL on those
 * with the same conditions; then the payloads of what is left. It may come out short when many of the calls have changed
 * since; then `keysOfCalls` has the answer. The first keys may repeat: to tell them apart ClickHouse would read on where
 * it could stop.
 */
export function edgeOfCalls(query: CallsQuery, limit: number, columns: readonly string[]): Sql {
  const { projectId, where, prefilter, order } = query;
  const project = bind('String', projectId);
  const most = bind('UInt64', limit);
  const rows = sql`SELECT started_at, id FROM calls
    WHERE ${and([sql`project_id = ${project}`, prefilter, sql`is_deleted = 0`])}
    ORDER BY ${order.by} LIMIT ${bind('UInt64', 3 * limit)}`;
  const calls = sql`SELECT started_at, id FROM calls FINAL
  PREWHERE project_id = ${project} AND (started_at, id) IN (${rows})${conditions(where)}
  ORDER BY ${order.by} LIMIT ${most}`;
  return sql`${rowsAt(project, calls, columns)}
ORDER BY ${order.by}
LIMIT 1 BY id`;
}

/** Calls with their payloads in the order they are stored, which ClickHouse can give while it reads. */
export function allCalls(query: CallsQuery, columns: readonly string[]): Sql {
  const { projectId, order } = query;
  const project = bind('String', projectId);
  return sql`SELECT ${columnList(columns)}
FROM ${liveCalls(query, project)}
ORDER BY ${order.by}${page(query)}`;
}

/**
 * A row if there is any call that might match and of which the leaves alone cannot tell. What is found by the same index
 * is one question: beside a condition that it does not know an index helps nobody, and a question for each doubt would
 * repeat the whole scope for each.
 */
export function undecidedCalls(projectId: string, { undecided, scope }: LeafOnlyQuery): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const anyOf = (kind: readonly Undecided[]) => {
    const inDoubt = join(
      kind.map(({ rows }) => sql`(${rows})`),
      ' OR ',
    );
    return sql`(SELECT 1 AS found FROM calls WHERE ${and([project, sql`(${inDoubt})`, scope])} LIMIT 1)`;
  };
  const kinds = (['age', 'unindexed', 'leaf'] as const)
    .map((by) => undecided.filter((doubt) => doubt.by === by))
    .filter((kind) => kind.length > 0);
  return sql`SELECT found FROM (${join(kinds.map(anyOf), ' UNION ALL ')}) LIMIT 1`;
}

/** The keys of a question's calls, in its order. */
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
  columns: readonly string[],
): Sql {
  return rowsAt(bind('String', projectId), keyList(keys), columns);
}

/** Keys that are known, as a subquery of (started_at, id). */
export function keyList(keys: readonly CallKey[]): Sql {
  const ids = bind(
    'Array(String)',
    keys.map(({ id }) => id),
  );
  return sql`SELECT fromUnixTimestamp64Micro(key.1, 'UTC'), key.2 FROM (SELECT arrayJoin(arrayZip(${startsOf(keys)}, ${ids})) AS key)`;
}

/** Their moments alone. */
export function startList(keys: readonly CallKey[]): Sql {
  return sql`SELECT fromUnixTimestamp64Micro(arrayJoin(${startsOf(keys)}), 'UTC')`;
}

const startsOf = (keys: readonly CallKey[]) =>
  bind(
    'Array(Int64)',
    keys.map(({ started }) => Number(started)),
  );

/** How many calls match, and when asked how large they are. With a limit, counting stops there. */
export function countCalls(query: CallsQuery, withBytes: boolean): Sql {
  const calls = liveCalls(query, bind('String', query.projectId));
  const totals = raw(withBytes ? 'count() AS count, sum(size_bytes) AS bytes' : 'count() AS count');
  if (query.limit === undefined) return sql`SELECT ${totals} FROM ${calls}`;
  const column = raw(withBytes ? 'size_bytes' : 'id');
  return sql`SELECT ${totals} FROM (SELECT ${column} FROM ${calls} LIMIT ${bind('UInt64', query.limit)})`;
}

/**
 * The different refs that stand at a place of calls that may match, as they are stored: an older version of a call may
 * bring one more, and does no harm.
 */
export function refsOfCalls({ projectId, prefilter }: CallsQuery, place: Sql, most: number): Sql {
  return sql`SELECT DISTINCT ${place} AS ref FROM calls
WHERE ${and([sql`project_id = ${bind('String', projectId)}`, prefilter, sql`startsWith(ref, 'weave:///')`])}
LIMIT ${bind('UInt64', most)}`;
}

/** Bytes of all calls of each trace that anybody can see. */
export function traceSizes(projectId: string, traceIds: readonly string[], since?: number): Sql {
  const where = and([sql`trace_id IN ${bind('Array(String)', traceIds)}`, ...startedSince(since)]);
  const calls = liveCalls({ where, prefilter: where, isNarrow: true }, bind('String', projectId));
  return sql`SELECT trace_id, sum(size_bytes) AS bytes FROM ${calls} GROUP BY trace_id`;
}

/** In the order of time: those behind a call. Said twice, since only the moment by itself is of use to the index. */
export function behindCall(direction: Direction, { started, id }: CallKey): Sql {
  const start = atMicros(Number(started));
  const [orAt, behind] = direction === 'asc' ? ['>=', '>'] : ['<=', '<'];
  return sql`started_at ${raw(orAt)} ${start} AND (started_at, id) ${raw(behind)} (${start}, ${bind('String', id)})`;
}

export const afterTimestamp = (direction: Direction, micros: number): Sql =>
  sql`started_at ${raw(direction === 'asc' ? '>' : '<')} ${atMicros(micros)}`;

export const upToTimestamp = (direction: Direction, micros: number): Sql =>
  sql`started_at ${raw(direction === 'asc' ? '<=' : '>=')} ${atMicros(micros)}`;

/** When the call started up to which, in the order of time, so many rows may match. None when there are fewer. */
export function endOfWindow(
  { projectId, prefilter, order, window }: CallsQuery,
  rows: number,
): Sql {
  const where = and([sql`project_id = ${bind('String', projectId)}`, window, prefilter]);
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started FROM calls WHERE ${where}
ORDER BY started_at ${raw(order.byTime === 'desc' ? 'DESC' : 'ASC')} LIMIT 1 OFFSET ${bind('UInt64', rows)}`;
}

/** When the newest call of a project started, as far as any row says. */
export function newestStart(projectId: string): Sql {
  return sql`SELECT toUnixTimestamp64Micro(started_at) AS started FROM calls
WHERE project_id = ${bind('String', projectId)} ORDER BY started_at DESC LIMIT 1`;
}

type Where = Pick<CallsQuery, 'where' | 'prefilter' | 'isNarrow'> &
  Partial<Pick<CallsQuery, 'at' | 'window'>>;

/**
 * The calls that match, each once, as they are now. Where few are expected, the moments at which they started are found
 * first: that is nearly their key, and their ids, which are the dearest column to read, are read only once.
 */
export function liveCalls({ where, prefilter, isNarrow, at, window }: Where, project: Bound): Sql {
  const ofProject = and([sql`project_id = ${project}`, window]);
  if (at) return sql`calls FINAL PREWHERE ${ofProject} AND (started_at, id) IN (${at})`;
  const starts = sql`SELECT started_at FROM calls WHERE ${and([ofProject, prefilter])}`;
  const atStarts = isNarrow && prefilter && sql`started_at IN (${starts})`;
  return sql`calls FINAL PREWHERE ${and([ofProject, atStarts])}${conditions(where)}`;
}

function page({ limit, offset }: CallsQuery): Sql {
  const most = limit === undefined ? raw('') : sql` LIMIT ${bind('UInt64', limit)}`;
  return offset === 0 ? most : sql`${most} OFFSET ${bind('UInt64', offset)}`;
}

/** PREWHERE on the key is safe under FINAL: all versions of a row share it. */
function rowsAt(project: Bound, keys: Sql, columns: readonly string[]): Sql {
  return sql`SELECT ${columnList(columns)}
FROM calls FINAL
PREWHERE project_id = ${project} AND (started_at, id) IN (${keys})`;
}

const conditions = (where: Sql | undefined) => (where ? sql` WHERE ${where}` : raw(''));

const MOMENTS: Readonly<Record<string, string>> = {
  started_at: 'toUnixTimestamp64Micro(started_at) AS started',
  ended_at: 'toUnixTimestamp64Micro(ended_at) AS ended',
};

function columnList(columns: readonly string[]): Sql {
  return join(
    columns.map((column) => raw(MOMENTS[column] ?? column)),
    ', ',
  );
}
