import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { PricedSql } from '@app/pricing';
import type { Group } from './report-groups.js';
import { usageRows, type UsageQuestion, type UsageScope } from './usage-rows.sql.js';

/**
 * Tokens and costs per group. Tokens are added up per price first, and only their sums are multiplied: the same money,
 * for a thousandth of the multiplications.
 */
export function costsReport(
  question: UsageQuestion,
  scope: UsageScope,
  groups: readonly Group[],
  priced: PricedSql,
  limit: number | undefined,
): Sql {
  const extras = groups.flatMap(({ perCall }, i) =>
    perCall ? [sql`${perCall} AS ${raw(`g${i}`)}`] : [],
  );
  const rows = usageRows(question, scope, extras);
  const keys = groups.map(({ perCall }, i) => raw(perCall ? `g${i}` : 'model'));
  const names = groups.map(({ name }) => raw(`\`${name}\``));
  const number = raw('price');
  const cost = join(
    [
      priced.cost('prompt', raw('uncached'), number),
      priced.cost('completion', raw('completion'), number),
      priced.cost('cacheRead', raw('cache_read'), number),
      priced.cost('cacheWrite', raw('cache_write'), number),
    ],
    ' + ',
  );
  // A call with two models is one call, unless it is asked for by model.
  const isByModel = groups.some(({ perCall }) => !perCall);
  const calls = raw(isByModel ? 'count()' : 'countIf(nth = 1)');
  const price = priced.number(raw('model'), raw('started_at'));
  const perPrice = sql`SELECT ${join([...keys, sql`${price} AS price`], ', ')},
  ${calls} AS calls, sum(requests) AS requests, sum(uncached) AS uncached,
  sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(completion) AS completion, sum(total) AS total
FROM (${rows}) GROUP BY ${join([...keys, number], ', ')}`;
  const shown = keys.map((key, i) => sql`${key} AS ${names[i]!}`);
  const most = limit === undefined ? raw('') : sql` LIMIT ${bind('UInt64', limit)}`;
  return sql`SELECT ${join([...shown, sql`sum(calls) AS calls`], ', ')}, sum(requests) AS requests,
  sum(uncached) AS uncached_input_tokens, sum(cache_read) AS cache_read_input_tokens,
  sum(cache_write) AS cache_creation_input_tokens, sum(completion) AS output_tokens, sum(total) AS total_tokens,
  if(any(price) = 0, NULL, sum(${cost})) AS total_cost, nullIf(currency, '') AS unit
FROM (SELECT *, ${priced.unit(number)} AS currency FROM (${perPrice}))
GROUP BY ${join([...keys, raw('currency')], ', ')}
ORDER BY ${join([...keys, raw('currency')], ', ')}${most}`;
}
