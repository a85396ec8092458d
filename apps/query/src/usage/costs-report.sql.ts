import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { USAGE_COUNTS, type PricedSql } from '@app/pricing';
import { agentRows, type AgentUsage } from './agent-usage.sql.js';
import type { Group } from './report-groups.js';
import { usageRows, type UsageQuery, type UsageScope } from './usage-rows.sql.js';

const PRICE = raw('price');
const MODEL = raw('model');

export interface ReportQuery {
  readonly query: UsageQuery;
  readonly scope: UsageScope;
  readonly groups: readonly Group[];
  readonly priced: PricedSql;
  /** The spans of agents that count, too. */
  readonly agents: AgentUsage | undefined;
  /** Also count calls without usage. */
  readonly withUnused: boolean;
  readonly limit: number | undefined;
}

/** Usage that no price is known for. A call without usage needs none. */
const UNPRICED = raw('price = 0 AND total > 0');

const PRICING = sql`multiIf(countIf(${UNPRICED}) = 0, if(max(price) > 0, 'full', 'unused'), max(price) > 0, 'partial', 'none')`;

/**
 * Tokens and costs per group. Tokens are summed per price first, and only the sums are multiplied: the same cost for a
 * thousandth of the multiplications. Usage without a price belongs to the row of its group, or to one of them where a group has
 * several currencies.
 */
export function costsReport(report: ReportQuery): Sql {
  const { groups, priced, limit } = report;
  const keys = groups.map(({ perCall }, i) => (perCall ? raw(`g${i}`) : MODEL));
  const shown = groups.map(({ name }, i) => sql`${keys[i]!} AS ${raw(`\`${name}\``)}`);
  const page = limit === undefined ? raw('') : sql` LIMIT ${bind('UInt64', limit)}`;
  const group = keys.length > 0 ? sql`PARTITION BY ${join(keys, ', ')}` : raw('');
  const rows = sql`SELECT *, ${priced.unit(PRICE)} AS own_currency FROM (${perPrice(report)})`;
  const currency = sql`if(own_currency = '', max(own_currency) OVER (${group}), own_currency)`;
  return sql`SELECT ${join([...shown, sql`sum(calls) AS calls`], ', ')}, sum(requests) AS requests,
  sum(uncached) AS uncached_input_tokens, sum(cache_read) AS cache_read_input_tokens,
  sum(cache_write) AS cache_creation_input_tokens, sum(completion) AS output_tokens, sum(total) AS total_tokens,
  if(max(price) = 0, NULL, sum(${costIn(priced)})) AS total_cost, nullIf(currency, '') AS unit,
  ${PRICING} AS pricing, sumIf(total, ${UNPRICED}) AS unpriced_tokens
FROM (SELECT *, ${currency} AS currency FROM (${rows}))
GROUP BY ${join([...keys, raw('currency')], ', ')}
ORDER BY ${join([...keys, raw('currency')], ', ')}${page}`;
}

/** The sums per group, model and price. */
function perPrice({ query, scope, groups, priced, withUnused, agents }: ReportQuery): Sql {
  const extras = groups.flatMap(({ perCall }, i) =>
    perCall ? [sql`${perCall} AS ${raw(`g${i}`)}`] : [],
  );
  const keys = groups.flatMap(({ perCall }, i) => (perCall ? [raw(`g${i}`)] : []));
  // A call with two models counts once, unless the report is grouped by model.
  const isByModel = groups.some(({ perCall }) => !perCall);
  const calls = raw(isByModel ? 'count()' : 'countIf(nth <= 1)');
  const price = sql`${priced.priceIndex(MODEL, raw('started_at'))} AS price`;
  // A constant price depends on the model only, and is joined after the sums; any other depends on the time of the call.
  const [perCall, perModel] = priced.isConstant ? [[], [price]] : [[price], []];
  const ofCalls = usageRows(query, scope, extras, withUnused);
  const columns = join(
    [raw(['started_at', 'model', ...USAGE_COUNTS, 'nth'].join(', ')), ...keys],
    ', ',
  );
  const rows = agents
    ? sql`SELECT ${columns} FROM (${ofCalls}) UNION ALL ${agentRows(agents, groups)}`
    : ofCalls;
  const sums = sql`SELECT ${join([...keys, MODEL, ...perCall], ', ')},
  ${calls} AS calls, sum(requests) AS requests, sum(uncached) AS uncached,
  sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(completion) AS completion, sum(total) AS total
FROM (${rows}) GROUP BY ${join([...keys, MODEL, ...perCall.map(() => PRICE)], ', ')}`;
  const printed = groups.flatMap(({ shown }, i) =>
    shown ? [sql`${shown(raw(`g${i}`))} AS ${raw(`g${i}`)}`] : [],
  );
  const replaced = printed.length > 0 ? sql` REPLACE (${join(printed, ', ')})` : raw('');
  return sql`SELECT ${join([sql`*${replaced}`, ...perModel], ', ')} FROM (${sums})`;
}

const costIn = (priced: PricedSql): Sql =>
  join(
    [
      priced.cost('prompt', raw('uncached'), PRICE),
      priced.cost('completion', raw('completion'), PRICE),
      priced.cost('cacheRead', raw('cache_read'), PRICE),
      priced.cost('cacheWrite', raw('cache_write'), PRICE),
    ],
    ' + ',
  );
