import { and, atMillis, bind, join, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import type { FeedbackAggregateRequest } from '@app/contracts';
import { ExprError, shown } from '@app/query-language';
import { millis } from '@app/wire';
import { TAGS } from './feedback-fields.js';
import { ofProject } from './feedback.sql.js';

const RATINGS = raw(`JSONExtract(scorer, 'scorer_ratings', 'Map(String, Float64)')`);

type RefColumn = 'trigger_ref' | 'runnable_ref';

/** The name in `weave:///<entity>/<project>/<kind>/<name>:<digest>`; all versions share it. */
const nameIn = (column: RefColumn) => `splitByChar(':', splitByChar('/', ${column})[7])[1]`;

const GROUPS: Readonly<Record<string, string>> = {
  scorer_id: nameIn('runnable_ref'),
  span_agent_name: `JSONExtractString(span, 'span_agent_name')`,
  span_agent_version: `JSONExtractString(span, 'span_agent_version')`,
  span_status_code: `JSONExtractString(span, 'span_status_code')`,
};

/** Counts of tags and ratings, per bucket of time and group. The i-th group is `g<i>`. */
export function aggregateFeedback(request: FeedbackAggregateRequest, bucketMs?: number): Sql {
  const groups = (request.group_by ?? []).map((name, i) => {
    const column = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
    if (column) return sql`${raw(column)} AS ${raw(`g${i}`)}`;
    const reason = `${shown(name)} is nothing to group by; there are ${Object.keys(GROUPS).join(', ')}`;
    throw new ExprError('value', ['group_by', i], reason);
  });
  const keys = groups.map((_, i) => raw(`g${i}`));
  const step = bind('Int64', bucketMs ?? 1);
  const bucket = bucketMs
    ? [sql`intDiv(toUnixTimestamp64Milli(created_at), ${step}) * ${step} AS bucket`]
    : [];
  const by = [...(bucketMs ? [raw('bucket')] : []), ...keys];
  const grouping =
    by.length > 0 ? sql` GROUP BY ${join(by, ', ')} ORDER BY ${join(by, ', ')}` : raw('');
  return sql`SELECT ${join([...bucket, ...groups, raw('count() AS total_count')], ', ')},
  countIf(notEmpty(tags) OR notEmpty(ratings)) AS scored_count,
  sumMap(mapFromArrays(tags, arrayMap(x -> toUInt64(1), tags))) AS tag_counts,
  sumMap(mapApply((k, v) -> (k, toUInt64(1)), ratings)) AS rating_counts, sumMap(ratings) AS rating_sums
FROM (SELECT created_at, runnable_ref, span, arrayDistinct(${TAGS}) AS tags, ${RATINGS} AS ratings
  FROM feedback FINAL WHERE ${whereOf(request)})${grouping}`;
}

function whereOf(request: FeedbackAggregateRequest): Sql {
  const { rating_min, rating_max } = request;
  return and([
    ofProject(request.project_id),
    sql`created_at >= ${atMillis(millis(request.after_ms))} AND created_at < ${atMillis(millis(request.before_ms))}`,
    listed(
      request.feedback_types,
      (types) => sql`arrayExists(x -> startsWith(feedback_type, x), ${types})`,
    ),
    listed(request.tags, (tags) => sql`hasAny(${TAGS}, ${tags})`),
    given(rating_min) &&
      sql`arrayExists(x -> x >= ${bind('Float64', rating_min)}, mapValues(${RATINGS}))`,
    given(rating_max) &&
      sql`arrayExists(x -> x <= ${bind('Float64', rating_max)}, mapValues(${RATINGS}))`,
    named('trigger_ref', request.monitor_ids),
    named('runnable_ref', request.scorer_ids),
    listed(
      request.span_agent_names,
      (names) => sql`${raw(GROUPS['span_agent_name']!)} IN ${names}`,
    ),
    listed(request.span_types, (types) => sql`splitByChar('/', weave_ref)[6] IN ${types}`),
  ]);
}

type List = readonly string[] | null | undefined;

const given = (value: number | null | undefined) => value !== null && value !== undefined;

function listed(list: List, condition: (values: Bound) => Sql): Sql | undefined {
  return list?.length ? condition(bind('Array(String)', list)) : undefined;
}

/** The ref or its name is equal to any of the list, or starts with one that ends in `*`. */
function named(column: RefColumn, list: List): Sql | undefined {
  const exact = (list ?? []).filter((one) => !one.endsWith('*'));
  const prefixes = (list ?? []).filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1));
  const conditions = [raw(column), raw(nameIn(column))]
    .flatMap((name) => [
      listed(exact, (values) => sql`${name} IN ${values}`),
      listed(prefixes, (values) => sql`arrayExists(x -> startsWith(${name}, x), ${values})`),
    ])
    .filter((one) => one !== undefined);
  return conditions.length > 0 ? sql`(${join(conditions, ' OR ')})` : undefined;
}
