import { Injectable } from '@nestjs/common';
import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { AgentSpanStatsRequest, SpanBuckets } from '@app/contracts';
import { ExprError } from '@app/query-language';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { binOf, rangesOf } from './distributions.reader.js';
import { columnValue, type GroupRow } from './group-record.js';
import { referredField } from './span-fields.js';
import {
  groupColumns,
  groupText,
  measureColumn,
  metricColumns,
  type MetricColumn,
} from './span-measures.js';

const BINS = 24;
const AT = ['bucket_by'];

/** Aggregates spans, or groups of them, in buckets of equal width of a number. */
@Injectable()
export class SpanHistogramReader {
  constructor(private readonly executor: QueryExecutor) {}

  async stats(request: AgentSpanStatsRequest, from: Sql, context: ReadContext) {
    const spec = checked(request);
    const metrics = metricColumns(request.metrics);
    const numbers = spec.measure ? groupNumbers(spec, from) : spanNumbers(spec, from);
    const bins = spec.bins ?? BINS;
    const range = await this.range(spec, numbers, context);
    const found = range
      ? await this.executor.rows<GroupRow>(
          bucketsQuery(numbers, metrics, { ...range, bins }),
          context,
        )
      : [];
    const byBin = new Map(found.map((row) => [Number(row['bin']), row]));
    return {
      columns: columnsOf(metrics),
      rows: range === undefined ? [] : rangesOf(range.low, range.high, bins).map(recordOf),
    };

    function recordOf({ index, min, max }: { index: number; min: number; max: number }) {
      const row = byBin.get(index) ?? {};
      const values = metrics.map(({ name, type, aggregation }, i) => {
        const value = columnValue(row[`m${i}`], type);
        return [name, aggregation.startsWith('count') ? (value ?? 0) : value] as const;
      });
      return {
        ...{ bucket_index: index, bucket_min: min, bucket_max: max },
        ...Object.fromEntries(values),
        count: Number(row['count'] ?? 0),
      };
    }
  }

  /** The bounds of the request, or else of the numbers. Undefined without numbers between them. */
  private async range({ min, max }: SpanBuckets, { number, from }: Numbers, context: ReadContext) {
    const [found] = await this.executor.rows<{ low: number | null; high: number | null }>(
      sql`SELECT minOrNull(${number}) AS low, maxOrNull(${number}) AS high ${from} AND isFinite(${number})`,
      context,
    );
    const low = min ?? found?.low ?? null;
    const high = max ?? found?.high ?? null;
    // The values may all be outside of the one bound that the request has.
    if (low === null || high === null || Number(high) < Number(low)) return undefined;
    return { low: Number(low), high: Number(high) };
  }
}

/** A number, and `FROM … WHERE …` of what has it. */
interface Numbers {
  readonly number: Sql;
  readonly from: Sql;
}

function spanNumbers({ value }: SpanBuckets, from: Sql): Numbers {
  const field = referredField(value!, [...AT, 'value', 'key']);
  if (field.kind !== 'number') throw new ExprError('value', AT, 'the value is not a number');
  const number = field.unset ? sql`if(${field.unset}, NULL, ${field.sql})` : field.sql;
  return { number, from };
}

function groupNumbers(spec: SpanBuckets, from: Sql): Numbers {
  const measure = measureColumn(spec.measure!, [...AT, 'measure']);
  if (measure.type !== 'number') throw new ExprError('value', AT, 'the measure is not a number');
  const group = groupText(groupColumns(spec.group_by, AT));
  const groups = sql`SELECT toFloat64(${measure.value}) AS measured ${from} GROUP BY ${group}`;
  return { number: raw('measured'), from: sql`FROM (${groups}) WHERE 1` };
}

interface Range {
  readonly low: number;
  readonly high: number;
  readonly bins: number;
}

function bucketsQuery(
  { number, from }: Numbers,
  metrics: readonly MetricColumn[],
  { low, high, bins }: Range,
): Sql {
  const [least, most] = [sql`${bind('Float64', low)}`, sql`${bind('Float64', high)}`];
  const bin = sql`${binOf(number, least, most, sql`${bind('UInt64', bins)}`)} AS bin`;
  const values = metrics.map(({ value }, i) => sql`${value} AS ${raw(`m${i}`)}`);
  return sql`SELECT ${join([bin, ...values, raw('count() AS count')], ', ')}
${from} AND ${number} >= ${least} AND ${number} <= ${most} GROUP BY bin ORDER BY bin`;
}

function checked({ bucket_by, group_by, metrics }: AgentSpanStatsRequest): SpanBuckets {
  const spec = bucket_by!;
  const isOfGroups = (spec.group_by?.length ?? 0) > 0;
  const refuse = (sentence: string) => new ExprError('value', AT, sentence);
  if (isOfGroups !== Boolean(spec.measure)) throw refuse('group_by and measure need each other');
  if (isOfGroups === Boolean(spec.value))
    throw refuse('buckets of a number need a value, or group_by and measure');
  if ((group_by?.length ?? 0) > 0) throw refuse('buckets of a number have no group_by beside them');
  if (isOfGroups && (metrics?.length ?? 0) > 0)
    throw refuse('buckets of groups have no metrics: they count groups');
  if ((spec.min ?? -Infinity) > (spec.max ?? Infinity)) throw refuse('min is greater than max');
  return spec;
}

const columnsOf = (metrics: readonly MetricColumn[]) => [
  ...['bucket_index', 'bucket_min', 'bucket_max'].map((name) => ({
    ...{ name, role: 'bucket', value_type: 'number' },
  })),
  ...metrics.map(({ name, type, metric, aggregation }) => ({
    ...{ name, role: 'metric', value_type: type, metric, aggregation },
  })),
  { name: 'count', role: 'metric', value_type: 'number', aggregation: 'count' },
];
