import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { PricedSql } from './priced.sql.js';
import type { PriceList } from './price-list.js';
import { projectUsage, type ProjectTime } from './project-usage.sql.js';

/** What the usage of a model costs with the prices of now and with others, in their currencies. */
export interface WhatIfRow {
  readonly model: string;
  readonly calls: number | string;
  /** '' where there is no price. */
  readonly unit_now: string;
  readonly unit_then: string;
  /** Decimal text. */
  readonly cost_now: string;
  readonly cost_then: string;
  readonly tokens: number | string;
}

const TOKENS = [
  ['prompt', 'uncached'],
  ['completion', 'completion'],
  ['cacheRead', 'cache_read'],
  ['cacheWrite', 'cache_write'],
] as const;

function costIn(priced: PricedSql, index: Sql): Sql {
  const parts = TOKENS.map(([part, tokens]) => priced.cost(part, raw(tokens), index));
  return join(parts, ' + ');
}

/**
 * The costs of these models' usage with two lists of prices. Tokens are summed per pair of prices first, and only the sums are
 * multiplied, so that a million calls need a few multiplications.
 */
export function whatIf(
  time: ProjectTime,
  models: readonly string[],
  [now, then]: readonly [now: PriceList, then: PriceList],
): Sql {
  const [pricedNow, pricedThen] = [new PricedSql(now), new PricedSql(then)];
  const indexes = [pricedNow, pricedThen].map((priced) =>
    priced.priceIndex(raw('model'), raw('started_at')),
  );
  const sums = TOKENS.map(([, tokens]) => raw(`sum(${tokens}) AS ${tokens}`));
  const perPrice = sql`SELECT model, price_now, price_then, count() AS calls, sum(total) AS total, ${join(sums, ', ')}
FROM (SELECT *, ${indexes[0]!} AS price_now, ${indexes[1]!} AS price_then FROM (${projectUsage(time)})
  WHERE model IN ${bind('Array(String)', models)})
GROUP BY model, price_now, price_then`;
  return sql`SELECT model, ${pricedNow.unit(raw('price_now'))} AS unit_now, ${pricedThen.unit(raw('price_then'))} AS unit_then,
  sum(calls) AS calls, sum(total) AS tokens, toString(sum(${costIn(pricedNow, raw('price_now'))})) AS cost_now,
  toString(sum(${costIn(pricedThen, raw('price_then'))})) AS cost_then
FROM (SELECT model, price_now, price_then, calls, total, uncached, completion, cache_read, cache_write FROM (${perPrice}))
GROUP BY model, unit_now, unit_then ORDER BY model, unit_now, unit_then`;
}
