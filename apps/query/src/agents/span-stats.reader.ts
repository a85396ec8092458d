import { Injectable } from '@nestjs/common';
import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { AgentSpanStatsRequest } from '@app/contracts';
import { ProblemError } from '@app/http';
import { nowMillis } from '@app/wire';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { bucketOf } from '../usage/calls-stats.sql.js';
import { printed, timeBuckets } from '../usage/time-buckets.js';
import { groupFilterConditions } from './group-filters.js';
import { columnValue, type GroupRow } from './group-record.js';
import { SpanHistogramReader } from './span-histogram.reader.js';
import { groupColumns, metricColumns, type SpanColumn } from './span-measures.js';
import { spansFrom } from './spans.sql.js';

const GROUP_LIMIT = 100;
const ROWS_MAX = 10_000;

/** Aggregates spans over time. */
@Injectable()
export class SpanStatsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
    private readonly histogram: SpanHistogramReader,
  ) {}

  async stats(request: AgentSpanStatsRequest, context: ReadContext, now = nowMillis()) {
    const buckets = timeBuckets(request, now);
    const since = await this.retention.cutoff(request.project_id);
    const range = { started_after: printed(buckets.from), started_before: printed(buckets.to) };
    const { project_id, query } = request;
    const wanted = { project_id, query: query ?? null, ...range };
    const measured = spansFrom(wanted, since);
    const filters = groupFilterConditions(request.group_filters, request.group_by, measured);
    const from = filters.length > 0 ? spansFrom(wanted, since, filters) : measured;
    const head = {
      start: printed(buckets.from),
      end: printed(buckets.to),
      timezone: buckets.clock.zone,
    };
    if (request.bucket_by?.type === 'number') {
      const histogram = await this.histogram.stats(request, from, context);
      return { ...head, bucket_type: 'number', granularity: null, ...histogram };
    }
    const groups = groupColumns(request.group_by);
    const metrics = metricColumns(request.metrics);
    const rows = await this.executor.rows<GroupRow>(
      statsQuery(from, bucketOf(buckets), groups, metrics, request.group_limit ?? GROUP_LIMIT),
      context,
    );
    if (rows.length > ROWS_MAX) throw tooMany();
    const values = (columns: readonly SpanColumn[], row: GroupRow, prefix: string) =>
      columns.map(({ name, type }, i) => [name, columnValue(row[`${prefix}${i}`], type)] as const);
    return {
      ...head,
      bucket_type: 'time',
      granularity: buckets.granularity,
      columns: [
        { name: 'timestamp', role: 'time', value_type: 'datetime' },
        ...groups.map(({ name, type }) => ({ name, role: 'group', value_type: type })),
        ...metrics.map(({ name, type, metric, aggregation }) => ({
          name,
          role: 'metric',
          value_type: type,
          metric,
          aggregation,
        })),
        { name: 'count', role: 'metric', value_type: 'number', aggregation: 'count' },
      ],
      rows: rows.map((row) => ({
        timestamp: printed(buckets.clock.utc(Number(row['bucket']))),
        ...Object.fromEntries(values(groups, row, 'k')),
        ...Object.fromEntries(values(metrics, row, 'm')),
        count: Number(row['count']),
      })),
    };
  }
}

/** Only of the groups with the most spans. */
function statsQuery(
  from: Sql,
  bucket: Sql,
  groups: readonly SpanColumn[],
  metrics: readonly SpanColumn[],
  groupLimit: number,
): Sql {
  const keys = groups.map(({ value }, i) => sql`toString(${value}) AS ${raw(`k${i}`)}`);
  const names = groups.map((_, i) => `k${i}`);
  const values = metrics.map(({ value }, i) => sql`${value} AS ${raw(`m${i}`)}`);
  const columns = join(
    [sql`${bucket} AS bucket`, ...keys, ...values, raw('count() AS count')],
    ', ',
  );
  const by = raw(['bucket', ...names].join(', '));
  const keyValues = join(
    groups.map(({ value }) => sql`ifNull(toString(${value}), '')`),
    ', ',
  );
  const top = sql`SELECT tuple(${keyValues}) AS top ${from} GROUP BY top ORDER BY count() DESC, top LIMIT ${bind('UInt64', groupLimit)}`;
  const ofTop = groups.length === 0 ? raw('') : sql` AND tuple(${keyValues}) GLOBAL IN (${top})`;
  return sql`SELECT ${columns} ${from}${ofTop} GROUP BY ${by} ORDER BY ${by} LIMIT ${bind('UInt64', ROWS_MAX + 1)}`;
}

const tooMany = () =>
  new ProblemError(
    'invalid_request',
    `There are more than ${ROWS_MAX} rows; set a larger granularity, a shorter range or a smaller group_limit.`,
  );
