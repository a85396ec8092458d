import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { MetricRequest } from '@app/contracts';
import type { PricedSql } from '@app/pricing';

/** A column of the response, and its JSON text in a bucket without calls. */
export interface Column {
  readonly key: string;
  readonly value: Sql;
  readonly empty: string;
}

export function columnsOf(
  metrics: readonly MetricRequest[],
  valueOf: (metric: string) => Sql,
): Column[] {
  return metrics.flatMap(({ metric, aggregations, percentiles }) => {
    const value = valueOf(metric);
    const names = aggregations ?? (percentiles?.length ? [] : ['sum']);
    return [
      ...names.map((name) => aggregate(name, metric, value)),
      ...(percentiles ?? []).map((percent) => percentile(percent, metric, value)),
    ];
  });
}

const AGGREGATES: Readonly<Record<string, (value: Sql) => Sql>> = {
  sum: (value) => sql`sum(${value})`,
  avg: (value) => sql`avg(${value})`,
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
  count: (value) => sql`count(${value})`,
  count_true: (value) => sql`countIf(${value} != 0)`,
  count_false: (value) => sql`countIf(${value} = 0)`,
};

/** As text, so that a decimal keeps all digits. */
function aggregate(name: string, metric: string, value: Sql): Column {
  const isExtreme = name === 'min' || name === 'max';
  return {
    key: `${name}_${metric}`,
    value: sql`toString(${AGGREGATES[name]!(value)})`,
    empty: isExtreme ? 'null' : '0',
  };
}

function percentile(percent: number, metric: string, value: Sql): Column {
  const level = bind('Float64', percent / 100);
  return {
    key: `p${percent}_${metric}`,
    value: sql`toString(quantileExactInclusive(${level})(toFloat64(${value})))`,
    empty: 'null',
  };
}

const TOKENS: Readonly<Record<string, string>> = {
  input_tokens: 'prompt',
  output_tokens: 'completion',
  total_tokens: 'total',
  cache_read_input_tokens: 'cache_read',
  cache_creation_input_tokens: 'cache_write',
};

/** Metrics of usage rows that have a price number. The cost of input includes its cached parts. */
export function usageMetric(priced: PricedSql): (metric: string) => Sql {
  const number = raw('price');
  const input = join(
    [
      priced.cost('prompt', raw('uncached'), number),
      priced.cost('cacheRead', raw('cache_read'), number),
      priced.cost('cacheWrite', raw('cache_write'), number),
    ],
    ' + ',
  );
  const output = priced.cost('completion', raw('completion'), number);
  const costs: Readonly<Record<string, Sql>> = {
    input_cost: sql`(${input})`,
    output_cost: output,
    total_cost: sql`(${input} + ${output})`,
  };
  return (metric) => costs[metric] ?? raw(TOKENS[metric]!);
}

const CALLS: Readonly<Record<string, string>> = {
  latency_ms: `if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000))`,
  call_count: '1',
  error_count: `toUInt8(status = 'error')`,
  time_to_first_token_ms: 'first_token_ms',
};

export const callMetric = (metric: string): Sql => raw(CALLS[metric]!);
