import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { PricedSql } from '@app/pricing';
import { liveCalls } from '../calls/calls.sql.js';
import { firstTokenMs } from './first-token.sql.js';
import type { Group } from './report-groups.js';
import type { Column } from './stats-metrics.js';
import type { TimeBuckets } from './time-buckets.js';
import { startedBetween, usageRows, type UsageQuery, type UsageScope } from './usage-rows.sql.js';

/** The i-th column is `v<i>`. */
const values = (columns: readonly Column[]) =>
  join(
    [raw('count() AS count'), ...columns.map(({ value }, i) => sql`${value} AS ${raw(`v${i}`)}`)],
    ', ',
  );

export const bucketOf = ({ clock, from, to, granularity }: TimeBuckets): Sql => {
  const step = bind('Int64', granularity);
  return sql`intDiv(${clock.secondsSql(raw('started_at'), from, to)}, ${step}) * ${step}`;
};

/** The i-th group is `g<i>`. */
const groupColumns = (groups: readonly Group[]): Sql[] =>
  groups.map(({ perCall }, i) => sql`${perCall ?? MODELS} AS ${raw(`g${i}`)}`);

/** A call counts for each of its models. */
const MODELS = raw(`arrayJoin(if(empty(usage_model), [''], usage_model))`);

/** Groups in the order of the request. A query with more rows is refused, so one more than allowed is read. */
const grouped = (keys: readonly Sql[], groups: readonly Group[], maxRows: number): Sql => {
  const all = join([...keys, ...groups.map((_, i) => raw(`g${i}`))], ', ');
  const limit = groups.length > 0 ? sql` LIMIT ${bind('UInt64', maxRows + 1)}` : raw('');
  return sql`GROUP BY ${all} ORDER BY ${all}${limit}`;
};

const BUCKET = raw('bucket');
const namesOf = (groups: readonly Group[]) => groups.map((_, i) => raw(`g${i}`));

export interface StatsQuery {
  readonly query: UsageQuery;
  readonly buckets: TimeBuckets;
  readonly columns: readonly Column[];
  readonly groups: readonly Group[];
  readonly maxRows: number;
}

/** Per bucket, model and group. */
export function usageBuckets(
  { query, buckets, columns, groups, maxRows }: StatsQuery,
  scope: UsageScope,
  priced: PricedSql,
): Sql {
  const isByTimeOnly = query.isByTimeOnly === true && groups.every(({ isOfRoots }) => isOfRoots);
  const inTime = startedBetween({ ...query, isByTimeOnly }, buckets.from, buckets.to);
  const rows = usageRows(inTime, scope, groupColumns(groups));
  const price = priced.priceIndex(raw('model'), raw('started_at'));
  const keys = [sql`${bucketOf(buckets)} AS bucket`, raw('model'), ...namesOf(groups)];
  return sql`SELECT ${join(keys, ', ')}, ${values(columns)}
FROM (SELECT *, ${price} AS price FROM (${rows}))
${grouped([BUCKET, raw('model')], groups, maxRows)}`;
}

/** Per bucket and group. */
export function callBuckets({ query, buckets, columns, groups, maxRows }: StatsQuery): Sql {
  const inTime = startedBetween(query, buckets.from, buckets.to);
  const calls = liveCalls(inTime, bind('String', query.projectId));
  // Only on request, because it reads attributes of every call.
  const usesFirstToken = columns.some(({ key }) => key.endsWith('time_to_first_token_ms'));
  const firstToken = usesFirstToken
    ? [sql`${firstTokenMs(query.projectId)} AS first_token_ms`]
    : [];
  const selected = join(
    [raw('started_at, ended_at, status'), ...firstToken, ...groupColumns(groups)],
    ', ',
  );
  const keys = [sql`${bucketOf(buckets)} AS bucket`, ...namesOf(groups)];
  return sql`SELECT ${join(keys, ', ')}, ${values(columns)}
FROM (SELECT ${selected} FROM ${calls})
${grouped([BUCKET], groups, maxRows)}`;
}
