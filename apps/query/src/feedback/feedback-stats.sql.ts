import { and, atMillis, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { FeedbackMetric } from '@app/contracts';
import { ExprError, JsonText, parsePath, shown } from '@app/query-language';
import type { Millis } from '@app/wire';
import type { TimeBuckets } from '../usage/time-buckets.js';
import { ofProject } from './feedback.sql.js';

/** An aggregate of the values at a path; `empty` is its result without values. */
export interface Measure {
  readonly name: string;
  readonly slug: string;
  readonly value: Sql;
  readonly empty: number | null;
}

const DEFAULTS = {
  numeric: ['avg', 'min', 'max'],
  boolean: ['count_true', 'count_false'],
  categorical: ['count'],
} as const;

const NUMERIC: Readonly<Record<string, (value: Sql) => Sql>> = {
  avg: (value) => sql`avgOrNull(${value})`,
  min: (value) => sql`minOrNull(${value})`,
  max: (value) => sql`maxOrNull(${value})`,
  sum: (value) => sql`sumOrNull(${value})`,
  count: (value) => sql`count(${value})`,
};
const BOOLEAN: Readonly<Record<string, (value: Sql) => Sql>> = {
  count_true: (value) => sql`countIf(ifNull(${value}, false))`,
  count_false: (value) => sql`countIf(NOT ifNull(${value}, true))`,
  count: (value) => sql`count(${value})`,
};
const CATEGORICAL = { count: (value: Sql) => sql`countIf(${value} != '')` };

export function measuresOf(metrics: readonly FeedbackMetric[]): Measure[] {
  return metrics.flatMap((metric, i) => {
    const path = metric.json_path.replace(/^payload\./, '');
    const json = new JsonText(raw('payload'), parsePath(path, ['metrics', i, 'json_path']));
    const type = metric.value_type ?? 'numeric';
    const [value, known] =
      type === 'numeric'
        ? [json.number(), NUMERIC]
        : type === 'boolean'
          ? [json.bool(), BOOLEAN]
          : [json.text(), CATEGORICAL];
    const slug = path.replaceAll('.', '_');
    const names = metric.aggregations?.length ? metric.aggregations : DEFAULTS[type];
    const plain = names.map((name) => {
      const make = Object.hasOwn(known, name) ? known[name as keyof typeof known] : undefined;
      if (make) return { name, slug, value: make(value), empty: emptyOf(name) };
      const reason = `${shown(name)} is not known of ${type} values; there are ${Object.keys(known).join(', ')}`;
      throw new ExprError('value', ['metrics', i, 'aggregations'], reason);
    });
    const percentiles = (metric.percentiles ?? []).map((percent) => {
      const level = bind('Float64', percent / 100);
      const of = sql`quantileExactInclusiveOrNull(${level})(${json.number()})`;
      return { name: `p${percent}`, slug, value: of, empty: null };
    });
    return [...plain, ...percentiles];
  });
}

const emptyOf = (name: string) => (name.startsWith('count') ? 0 : null);

export interface FeedbackFilter {
  readonly project_id: string;
  readonly feedback_type?: string | null;
  readonly trigger_ref?: string | null;
}

export function feedbackWhere(
  { project_id, feedback_type, trigger_ref }: FeedbackFilter,
  from: Millis,
  to: Millis,
): Sql {
  return and([
    ofProject(project_id),
    sql`created_at >= ${atMillis(from)} AND created_at < ${atMillis(to)}`,
    feedback_type ? sql`feedback_type = ${bind('String', feedback_type)}` : undefined,
    trigger_ref ? sql`startsWith(trigger_ref, ${bind('String', trigger_ref)})` : undefined,
  ]);
}

/** Per bucket, or over the whole time range without buckets. The i-th measure is `v<i>`. */
export function feedbackStats(
  where: Sql,
  measures: readonly Measure[],
  buckets?: TimeBuckets,
): Sql {
  const values = measures.map(({ value }, i) => sql`${value} AS ${raw(`v${i}`)}`);
  const found = join([raw('count() AS count'), ...values], ', ');
  if (!buckets) return sql`SELECT ${found} FROM feedback FINAL WHERE ${where}`;
  const { clock, from, to, granularity } = buckets;
  const step = bind('Int64', granularity);
  const bucket = sql`intDiv(${clock.secondsSql(raw('created_at'), from, to)}, ${step}) * ${step}`;
  return sql`SELECT ${bucket} AS bucket, ${found} FROM feedback FINAL WHERE ${where} GROUP BY bucket`;
}

/** The newest payloads. */
export function payloadSample(where: Sql, limit: number): Sql {
  return sql`SELECT payload FROM feedback FINAL WHERE ${where}
ORDER BY created_at DESC LIMIT ${bind('UInt64', limit)}`;
}
