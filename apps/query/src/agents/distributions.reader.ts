import { Injectable } from '@nestjs/common';
import { bind, raw, sql, type Sql } from '@app/clickhouse';
import type { SpanDistribution } from '@app/contracts';
import { ExprError, shown, type Plain } from '@app/query-language';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { referredField } from './span-fields.js';

const BINS = 12;
const TOP = 5;

interface Counted {
  readonly group_text: string;
  readonly present: number | string;
  readonly count: number | string;
  readonly value: string;
  readonly bin: number;
  readonly low: number;
  readonly high: number;
}

/** The groups of a response: a text that identifies each, and its number of spans. */
export type GroupSizes = ReadonlyMap<string, number>;

/** How the values of attributes are distributed in groups of spans. */
@Injectable()
export class DistributionsReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** By the text of the group, then by alias. One query for each distribution, whatever the number of groups. */
  async of(
    distributions: readonly SpanDistribution[],
    group: Sql,
    sizes: GroupSizes,
    from: Sql,
    context: ReadContext,
  ): Promise<Map<string, Record<string, object>>> {
    requireDistinct(distributions);
    const found = new Map<string, Record<string, object>>();
    for (const text of sizes.keys()) found.set(text, {});
    for (const [i, one] of distributions.entries()) {
      const field = referredField(one.value, ['group_distributions', i, 'value', 'key']);
      const spans = sql`${from} AND ${group} IN ${bind('Array(String)', [...sizes.keys()])} AND NOT (${field.unset!})`;
      const query = isNumber(one)
        ? histogram(one, field, group, spans)
        : top(one, field, group, spans);
      const rows = await this.executor.rows<Counted>(query, context);
      for (const [text, size] of sizes) {
        const ofGroup = rows.filter(({ group_text }) => group_text === text);
        found.get(text)![one.alias] = item(one, size, ofGroup);
      }
    }
    return found;
  }
}

function requireDistinct(distributions: readonly SpanDistribution[]): void {
  const names = distributions.map(({ alias }) => alias);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new ExprError('value', ['group_distributions'], `${shown(twice)} is there twice`);
}

const isNumber = ({ value: { source } }: SpanDistribution): boolean =>
  source === 'custom_attrs_int' || source === 'custom_attrs_float';

/** The most frequent values of each group. */
const top = ({ top_n }: SpanDistribution, { sql: value }: Plain, group: Sql, from: Sql): Sql =>
  sql`SELECT ${group} AS group_text, toString(${value}) AS value, count() AS count,
  sum(count()) OVER (PARTITION BY group_text) AS present, 0 AS bin, 0 AS low, 0 AS high
${from} GROUP BY group_text, value ORDER BY group_text, count DESC, value LIMIT ${bind('UInt64', top_n ?? TOP)} BY group_text`;

/** Ranges of equal width from the least to the greatest value of each group. The last has its end too. */
function histogram(one: SpanDistribution, { sql: value }: Plain, group: Sql, from: Sql): Sql {
  const bins = sql`${bind('UInt64', one.bins ?? BINS)}`;
  const spans = sql`SELECT ${group} AS group_text, ${value} AS number ${from}`;
  const ranged = sql`SELECT group_text, number, min(number) OVER (PARTITION BY group_text) AS low,
  max(number) OVER (PARTITION BY group_text) AS high FROM (${spans})`;
  const bin = binOf(raw('number'), raw('low'), raw('high'), bins);
  return sql`SELECT group_text, low, high, ${bin} AS bin, '' AS value, count() AS count,
  sum(count()) OVER (PARTITION BY group_text) AS present
FROM (${ranged}) GROUP BY group_text, low, high, bin ORDER BY group_text, bin`;
}

/** The number of the range in which a value is. */
export const binOf = (value: Sql, low: Sql, high: Sql, bins: Sql): Sql =>
  sql`if(${high} > ${low}, least(toUInt64(floor((${value} - ${low}) / (${high} - ${low}) * ${bins})), ${bins} - 1), 0)`;

/** Where the ranges begin and end. Equal bounds make one range. */
export function rangesOf(low: number, high: number, bins: number) {
  const count = high > low ? bins : 1;
  const edge = (i: number) => (i === count ? high : low + ((high - low) / count) * i);
  return Array.from({ length: count }, (_, i) => ({ index: i, min: edge(i), max: edge(i + 1) }));
}

function item(one: SpanDistribution, total: number, rows: readonly Counted[]): object {
  const present = Number(rows[0]?.present ?? 0);
  const counted = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const { alias, value } = one;
  return {
    alias,
    source: value.source,
    key: value.key,
    value_type: value.source.replace('custom_attrs_', ''),
    total_count: total,
    present_count: present,
    missing_count: total - present,
    other_count: present - counted,
    bins: isNumber(one) ? binsOf(rows, one.bins ?? BINS) : [],
    values: isNumber(one)
      ? []
      : rows.map((row) => ({ value: row.value, count: Number(row.count) })),
  };
}

function binsOf(rows: readonly Counted[], bins: number): object[] {
  const [first] = rows;
  if (first === undefined) return [];
  const counts = new Map(rows.map(({ bin, count }) => [Number(bin), Number(count)]));
  return rangesOf(Number(first.low), Number(first.high), bins).map((range) => ({
    ...range,
    count: counts.get(range.index) ?? 0,
  }));
}
