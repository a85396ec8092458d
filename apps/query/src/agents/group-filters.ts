import { and, bind, sql, type Sql } from '@app/clickhouse';
import type { SpanGroupFilter, SpanGroupRef } from '@app/contracts';
import { ExprError } from '@app/query-language';
import { parseTimestamp } from '@app/wire';
import { groupColumns, groupText, measureColumn, type SpanColumn } from './span-measures.js';

/** Conditions on spans: each belongs to a group of which the measure is in the range. `from` has the spans that are measured. */
export function groupFilterConditions(
  filters: readonly SpanGroupFilter[] | null | undefined,
  groupBy: readonly SpanGroupRef[] | null | undefined,
  from: Sql,
): Sql[] {
  return (filters ?? []).map((filter, i) => {
    const at = ['group_filters', i];
    const own = filter.group_by ?? [];
    const groups = groupColumns(own.length > 0 ? own : groupBy, at);
    if (groups.length === 0) throw new ExprError('value', at, 'a filter of groups needs group_by');
    const measure = measureColumn(filter.measure, [...at, 'measure']);
    const group = groupText(groups);
    return sql`${group} GLOBAL IN (SELECT ${group} AS matching ${from} GROUP BY matching HAVING ${range(filter, measure, at)})`;
  });
}

type Place = readonly (string | number)[];

function range({ min, max }: SpanGroupFilter, measure: SpanColumn, at: Place): Sql {
  const isSet = (bound: number | string | null | undefined) =>
    bound !== null && bound !== undefined;
  if (!isSet(min) && !isSet(max)) throw new ExprError('value', at, 'min or max is missing');
  return and([
    isSet(min) && sql`${measure.value} >= ${boundOf(min, measure, [...at, 'min'])}`,
    isSet(max) && sql`${measure.value} <= ${boundOf(max, measure, [...at, 'max'])}`,
  ]);
}

/** Times are compared in microseconds, as the measure has them. */
function boundOf(bound: number | string, { type }: SpanColumn, at: Place): Sql {
  if (type === 'datetime' && typeof bound === 'string')
    return sql`${bind('Int64', Number(parseTimestamp(bound)))}`;
  if (type === 'number' && typeof bound === 'number') return sql`${bind('Float64', bound)}`;
  const needed = { datetime: 'a date-time', number: 'a number' }[type as 'number'];
  throw new ExprError(
    'value',
    [...at],
    needed ? `the measure needs ${needed}` : 'the measure is neither a number nor a time',
  );
}
