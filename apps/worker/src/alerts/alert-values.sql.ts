import type { AlertRule } from '@app/alerts';
import { and, atMicros, atMillis, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { projectUsage, type PricedSql, type ProjectTime } from '@app/pricing';

const PRICE = raw('price');

/**
 * The cost of a range of time in one currency, as `costs/report` computes it: tokens are added up per price, and the sums are
 * multiplied.
 */
export function costOfTime(time: ProjectTime, priced: PricedSql, currency: string): Sql {
  const cost = join(
    [
      priced.cost('prompt', raw('uncached'), PRICE),
      priced.cost('completion', raw('completion'), PRICE),
      priced.cost('cacheRead', raw('cache_read'), PRICE),
      priced.cost('cacheWrite', raw('cache_write'), PRICE),
    ],
    ' + ',
  );
  const index = priced.priceIndex(raw('model'), raw('started_at'));
  const sums = sql`SELECT price, sum(uncached) AS uncached, sum(completion) AS completion,
  sum(cache_read) AS cache_read, sum(cache_write) AS cache_write
FROM (SELECT *, ${index} AS price FROM (${projectUsage(time)})) GROUP BY price`;
  return sql`SELECT toString(sumIf(${cost}, ${priced.unit(PRICE)} = ${bind('String', currency)})) AS value FROM (${sums})`;
}

const LATENCY_MS = `if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000))`;

/** Counts of the calls of a range of time, as `calls/stats` computes them. The percentile is 'nan' without an ended call. */
export function callsOfTime(
  { projectId, from, to, since }: ProjectTime,
  { op, percentile }: Pick<AlertRule, 'op' | 'percentile'>,
): Sql {
  const inTime = and([
    sql`started_at >= ${atMillis(from)} AND started_at < ${atMillis(to)}`,
    since !== undefined && sql`started_at >= ${atMicros(since)}`,
  ]);
  const level = bind('Float64', (percentile ?? 50) / 100);
  const ofOp = op === null ? raw('') : sql` WHERE op_id = ${bind('String', op)}`;
  return sql`SELECT toString(count()) AS calls, toString(countIf(status = 'error')) AS errors,
  toString(quantileExactInclusive(${level})(toFloat64(${raw(LATENCY_MS)}))) AS latency
FROM calls FINAL PREWHERE project_id = ${bind('String', projectId)} AND ${inTime}${ofOp}`;
}

export const openDeadLetters = (projectId: string): Sql =>
  sql`SELECT toString(count()) AS value FROM dead_letters FINAL
WHERE project_id = ${bind('String', projectId)} AND state = 'open'`;
