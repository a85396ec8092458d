import { and, atMillis, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { rootUsage, USAGE_COUNTS } from '@app/pricing';
import type { Millis } from '@app/wire';
import type { CallsQuery } from '../calls/calls-query.js';
import { liveCalls } from '../calls/calls.sql.js';

/**
 * Whose usage counts. Clients add the usage of children to their parents, so a sum over all levels would count it once
 * per level. `roots` sums calls without a parent, and OpenTelemetry spans, whose usage excludes their children. `exclusive`
 * subtracts from every call the usage of its children. `all` sums every matching call as it is.
 */
export type UsageScope = 'all' | 'roots' | 'exclusive';

export type UsageQuery = Pick<CallsQuery, 'projectId' | 'where' | 'prefilter' | 'isNarrow'> &
  Partial<Pick<CallsQuery, 'isByTimeOnly'>>;

const ARRAYS = raw(['model', ...USAGE_COUNTS].map((name) => `usage_${name}`).join(', '));
const JOINED = raw(
  [
    ...['model', ...USAGE_COUNTS].map((name) => `usage_${name} AS ${name}`),
    'arrayEnumerate(usage_model) AS nth',
  ].join(', '),
);

/**
 * Whether the table root_usage suffices, for a tenth of the work. It has little more than start times, so a query with
 * other conditions reads the calls.
 */
const isOfRoots = (
  { isByTimeOnly }: Pick<UsageQuery, 'isByTimeOnly'>,
  scope: UsageScope,
): boolean => scope === 'roots' && isByTimeOnly === true;

/**
 * One row per call and model: started_at, the model, its counts, its index among the call's models, and the extras. With
 * `withUnused`, a call without usage has one row as well, with an index of 0.
 */
export function usageRows(
  query: UsageQuery,
  scope: UsageScope,
  extras: readonly Sql[],
  withUnused = false,
): Sql {
  if (isOfRoots(query, scope) && !withUnused)
    return rootUsage(query.projectId, query.where, extras);
  if (scope === 'exclusive') return exclusiveRows(query, extras, withUnused);
  const roots = scope === 'roots' ? sql`(parent_id = '' OR otel_dump != '')` : undefined;
  return joined(narrowed(query, roots), extras, withUnused);
}

function joined(query: UsageQuery, extras: readonly Sql[], withUnused = false): Sql {
  const columns = join([sql`started_at, ${ARRAYS}`, ...extras], ', ');
  const used = withUnused ? query : narrowed(query, raw('notEmpty(usage_model)'));
  const calls = liveCalls(used, bind('String', query.projectId));
  return sql`SELECT * EXCEPT (${ARRAYS}), ${raw(['model', ...USAGE_COUNTS, 'nth'].join(', '))}
FROM (SELECT ${columns} FROM ${calls}) ${raw(withUnused ? 'LEFT ' : '')}ARRAY JOIN ${JOINED}`;
}

function exclusiveRows(query: UsageQuery, extras: readonly Sql[], withUnused: boolean): Sql {
  const needed = [raw('id AS own_id'), raw(`otel_dump = '' AS adds_up`)];
  const own = joined(query, [...extras, ...needed], withUnused);
  const all = {
    projectId: query.projectId,
    where: undefined,
    prefilter: undefined,
    isNarrow: false,
  };
  const children = joined(narrowed(all, raw(`parent_id != ''`)), [raw('parent_id AS of_parent')]);
  const sums = raw(USAGE_COUNTS.map((name) => `sum(${name}) AS kids_${name}`).join(', '));
  const rest = raw(
    USAGE_COUNTS.map(
      (name) => `toUInt64(${name} - if(adds_up, least(${name}, kids_${name}), 0)) AS ${name}`,
    ).join(', '),
  );
  return sql`SELECT * EXCEPT (own_id, adds_up, of_parent, kids_model, ${raw(
    USAGE_COUNTS.map((name) => `kids_${name}`).join(', '),
  )}) REPLACE (${rest})
FROM (${own}) AS own
LEFT JOIN (SELECT of_parent, model AS kids_model, ${sums} FROM (${children}) GROUP BY of_parent, model) AS kids
  ON own_id = of_parent AND model = kids_model`;
}

function narrowed(query: UsageQuery, condition: Sql | undefined): UsageQuery {
  if (!condition) return query;
  const also = (one: Sql | undefined) => (one ? and([one, condition]) : condition);
  return { ...query, where: also(query.where), prefilter: also(query.prefilter) };
}

/** The same query, for calls that started in this range. */
export function startedBetween(query: UsageQuery, from: Millis, to: Millis): UsageQuery {
  return narrowed(query, sql`started_at >= ${atMillis(from)} AND started_at < ${atMillis(to)}`);
}

/** The models that matching calls may have used. The prefilter is cheap and may add some that none has used. */
export function modelsUsed(
  query: Pick<UsageQuery, 'projectId' | 'prefilter' | 'isByTimeOnly'>,
  scope: UsageScope = 'all',
): Sql {
  const { projectId, prefilter } = query;
  const where = and([sql`project_id = ${bind('String', projectId)}`, prefilter]);
  if (isOfRoots(query, scope)) {
    return sql`SELECT DISTINCT model FROM root_usage PREWHERE ${where}`;
  }
  return sql`SELECT DISTINCT arrayJoin(usage_model) AS model FROM calls WHERE ${where}`;
}
