import { and, bind, join, atMicros, raw, sql, type Sql } from '@app/clickhouse';
import type { ThreadsQueryRequest } from '@app/contracts';
import { ExprError, shown } from '@app/query-language';
import { parseTimestamp, type Micros } from '@app/wire';
import { startedSince } from '../calls/calls-where.js';
import { directionOf, limitClause, pageOf } from '../paging.js';

/** Timestamps are microseconds; durations are null while no turn has ended. */
export interface ThreadRow {
  readonly thread_id: string;
  readonly turn_count: number | string;
  readonly started: number | string;
  readonly updated: number | string;
  readonly first_turn_id: string;
  readonly last_turn_id: string;
  readonly p50: number | null;
  readonly p99: number | null;
}

const DURATION_MS = raw(
  `(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at)) / 1000, ended_at > toDateTime64(0, 6, 'UTC')`,
);

/** Threads, from the calls that open a turn: their id is the id of the turn. Calls before `since` are past their retention. */
export function queryThreads(request: ThreadsQueryRequest, since: Micros | undefined): Sql {
  const { project_id, filter } = request;
  const { after_datetime, before_datetime, thread_ids } = filter ?? {};
  const where = and(
    [
      raw(`thread_id != '' AND id = turn_id`),
      after_datetime && sql`started_at > ${atMicros(parseTimestamp(after_datetime))}`,
      before_datetime && sql`started_at < ${atMicros(parseTimestamp(before_datetime))}`,
      thread_ids && sql`thread_id IN ${bind('Array(String)', thread_ids)}`,
      ...startedSince(since),
    ].map((one) => one || undefined),
  );
  return sql`SELECT thread_id, count() AS turn_count, toUnixTimestamp64Micro(min(started_at)) AS started,
  toUnixTimestamp64Micro(max(greatest(started_at, ended_at))) AS updated,
  argMin(id, (started_at, id)) AS first_turn_id, argMax(id, (started_at, id)) AS last_turn_id,
  quantileExactInclusiveOrNullIf(0.5)(${DURATION_MS}) AS p50,
  quantileExactInclusiveOrNullIf(0.99)(${DURATION_MS}) AS p99
FROM calls FINAL PREWHERE project_id = ${bind('String', project_id)} WHERE ${where}
GROUP BY thread_id ORDER BY ${orderOf(request)}${limitClause(pageOf(request))}`;
}

const SORTABLE: Readonly<Record<string, string>> = {
  thread_id: 'thread_id',
  turn_count: 'turn_count',
  start_time: 'started',
  last_updated: 'updated',
  p50_turn_duration_ms: 'p50',
  p99_turn_duration_ms: 'p99',
};

function orderOf({ sort_by }: ThreadsQueryRequest): Sql {
  const keys = (sort_by ?? []).map((key, i) => {
    const column = Object.hasOwn(SORTABLE, key.field) ? SORTABLE[key.field] : undefined;
    if (column) return raw(`${column} ${directionOf(key, i)} NULLS LAST`);
    const known = Object.keys(SORTABLE).join(', ');
    const reason = `threads are sorted by ${known}, not by ${shown(key.field)}`;
    throw new ExprError('value', ['sort_by', i, 'field'], reason);
  });
  return join([...(keys.length > 0 ? keys : [raw('updated desc')]), raw('thread_id')], ', ');
}
