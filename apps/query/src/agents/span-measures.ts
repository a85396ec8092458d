import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { SpanGroupRef, SpanMeasure, SpanMetric } from '@app/contracts';
import type { PricedSql } from '@app/pricing';
import { compileExpr, ExprError, parseQuery, shown, type Plain } from '@app/query-language';
import { referredField, SPAN_FIELDS } from './span-fields.js';

/** A column of a response: its name there, and its value. */
export interface SpanColumn {
  readonly name: string;
  readonly value: Sql;
  readonly type: 'string' | 'number' | 'datetime' | 'boolean';
}

const TYPES = { text: 'string', number: 'number', time: 'datetime', bool: 'boolean' } as const;
const typeOf = ({ kind }: Plain) => (kind === 'texts' ? 'string' : TYPES[kind]);

/** NULL where there is no value. */
const nullable = ({ sql: value, unset }: Plain): Sql =>
  unset ? sql`if(${unset}, NULL, ${value})` : value;

export function groupColumns(
  groups: readonly SpanGroupRef[] | null | undefined,
  at: readonly (string | number)[] = [],
): SpanColumn[] {
  const columns = (groups ?? []).map((group, i) => {
    const field = referredField(group, [...at, 'group_by', i, 'key']);
    const name = group.alias || group.key;
    return { name, value: printed(field), type: typeOf(field) };
  });
  const twice = columns.findIndex(({ name }, i) => columns.findIndex((c) => c.name === name) !== i);
  if (twice === -1) return columns;
  throw new ExprError(
    'value',
    [...at, 'group_by', twice],
    `${shown(columns[twice]!.name)} is there twice`,
  );
}

/** A text that identifies a group, also one without a value. */
export const groupText = (columns: readonly SpanColumn[]): Sql =>
  sql`toString(tuple(${join(
    columns.map(({ value }) => value),
    ', ',
  )}))`;

/** As JSON prints it: a time in microseconds is printed by the reader. */
const printed = (field: Plain): Sql =>
  field.kind === 'time' ? sql`toUnixTimestamp64Micro(${field.sql})` : nullable(field);

type Aggregate = (value: Sql) => Sql;

const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  sum: (value) => sql`sum(${value})`,
  avg: (value) => sql`avg(${value})`,
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
  count: (value) => sql`count(${value})`,
  count_distinct: (value) => sql`uniqExact(${value})`,
  count_true: (value) => sql`countIf(${value} = 1)`,
  count_false: (value) => sql`countIf(${value} = 0)`,
};
const NEEDS_NUMBER = ['sum', 'avg'];
const NEEDS_BOOL = ['count_true', 'count_false'];

function aggregated(
  aggregation: string,
  field: Plain,
  condition: Sql | undefined,
  at: readonly (string | number)[],
): Sql {
  const kinds = NEEDS_NUMBER.includes(aggregation)
    ? ['number', 'bool']
    : NEEDS_BOOL.includes(aggregation)
      ? ['bool']
      : undefined;
  if (kinds && !kinds.includes(field.kind))
    throw new ExprError('value', [...at], `${aggregation} needs a ${kinds[0]}`);
  const value = field.kind === 'time' ? sql`toUnixTimestamp64Micro(${field.sql})` : nullable(field);
  const chosen = condition ? sql`if(${condition}, ${value}, NULL)` : value;
  return AGGREGATES[aggregation]!(chosen);
}

/** The measures of a group. */
export const measureColumns = (measures: readonly SpanMeasure[] | null | undefined): SpanColumn[] =>
  (measures ?? []).map((measure, i) => measureColumn(measure, ['measures', i]));

export function measureColumn(
  { alias, aggregation, value, filter }: SpanMeasure,
  at: readonly (string | number)[],
): SpanColumn {
  const condition = filter ? compileExpr(parseQuery(filter), SPAN_FIELDS) : undefined;
  const field: Plain = value
    ? referredField(value, [...at, 'value', 'key'])
    : { kind: 'number', sql: raw('1') };
  if (!value && aggregation !== 'count')
    throw new ExprError('value', [...at], `${aggregation} needs a value`);
  const isExtreme = aggregation === 'min' || aggregation === 'max';
  const type = isExtreme ? typeOf(field) : 'number';
  return { name: alias, value: aggregated(aggregation, field, condition, at), type };
}

/** A column of statistics, and what it aggregates. */
export interface MetricColumn extends SpanColumn {
  readonly metric: string;
  readonly aggregation: string;
}

export function metricColumns(metrics: readonly SpanMetric[] | null | undefined): MetricColumn[] {
  return (metrics ?? []).flatMap(({ alias, value, value_type, aggregations, percentiles }, i) => {
    const at = ['metrics', String(i)];
    const field = referredField(value, [...at, 'value', 'key']);
    const usual = percentiles?.length ? [] : [value_type === 'number' ? 'sum' : 'count'];
    const names = aggregations?.length ? aggregations : usual;
    const unknown = names.find((name) => !Object.hasOwn(AGGREGATES, name));
    if (unknown !== undefined)
      throw new ExprError('value', at, `${shown(unknown)} is not an aggregation`);
    const levels = (percentiles ?? []).map((percent): MetricColumn => {
      if (field.kind !== 'number') throw new ExprError('value', at, 'a percentile needs a number');
      const level = bind('Float64', percent / 100);
      const quantile = sql`quantileExactInclusive(${level})(${nullable(field)})`;
      const aggregation = `p${percent}`;
      return {
        name: `${aggregation}_${alias}`,
        metric: alias,
        aggregation,
        value: quantile,
        type: 'number',
      };
    });
    return [
      ...names.map((aggregation): MetricColumn => ({
        name: `${aggregation}_${alias}`,
        metric: alias,
        aggregation,
        value: aggregated(aggregation, field, undefined, at),
        type: aggregation === 'min' || aggregation === 'max' ? typeOf(field) : 'number',
      })),
      ...levels,
    ];
  });
}

/** The costs of a group in US dollars, as decimal texts; NULL when no model of it has a price. */
export function costColumns(priced: PricedSql): Sql {
  const index = priced.priceIndex(raw('model'), raw('agent_spans.started_at'));
  const isUsd = sql`${priced.unit(index)} = 'USD'`;
  const input = join(
    [
      priced.cost('prompt', raw('uncached'), index),
      priced.cost('cacheRead', raw('cache_read'), index),
      priced.cost('cacheWrite', raw('cache_write'), index),
    ],
    ' + ',
  );
  const output = priced.cost('completion', raw('completion'), index);
  const sum = (value: Sql) =>
    sql`if(countIf(${isUsd}) = 0, NULL, toString(sumIf(${value}, ${isUsd})))`;
  return sql`${sum(sql`(${input})`)} AS total_input_cost_usd, ${sum(output)} AS total_output_cost_usd,
  ${sum(sql`(${input} + ${output})`)} AS total_cost_usd`;
}
