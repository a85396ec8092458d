import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { PricedSql } from '@app/pricing';
import { liveCalls } from '../calls/calls.sql.js';
import type { Column } from './stats-metrics.js';
import type { TimeBuckets } from './time-buckets.js';
import { startedBetween, usageRows, type UsageQuery, type UsageScope } from './usage-rows.sql.js';

/** The i-th column is `v<i>`. */
const values = (columns: readonly Column[]) =>
  join(
    [raw('count() AS count'), ...columns.map(({ value }, i) => sql`${value} AS ${raw(`v${i}`)}`)],
    ', ',
  );

const bucketOf = ({ clock, from, to, granularity }: TimeBuckets): Sql => {
  const step = bind('Int64', granularity);
  return sql`intDiv(${clock.secondsSql(raw('started_at'), from, to)}, ${step}) * ${step}`;
};

/** Per bucket and model. */
export function usageBuckets(
  query: UsageQuery,
  scope: UsageScope,
  buckets: TimeBuckets,
  columns: readonly Column[],
  priced: PricedSql,
): Sql {
  const rows = usageRows(startedBetween(query, buckets.from, buckets.to), scope, []);
  const price = priced.priceIndex(raw('model'), raw('started_at'));
  return sql`SELECT ${bucketOf(buckets)} AS bucket, model, ${values(columns)}
FROM (SELECT *, ${price} AS price FROM (${rows}))
GROUP BY bucket, model ORDER BY bucket, model`;
}

/** Per bucket. */
export function callBuckets(
  query: UsageQuery,
  buckets: TimeBuckets,
  columns: readonly Column[],
): Sql {
  const inTime = startedBetween(query, buckets.from, buckets.to);
  const calls = liveCalls(inTime, bind('String', query.projectId));
  return sql`SELECT ${bucketOf(buckets)} AS bucket, ${values(columns)}
FROM (SELECT started_at, ended_at, status FROM ${calls})
GROUP BY bucket ORDER BY bucket`;
}
