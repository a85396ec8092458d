import { Injectable } from '@nestjs/common';
import type { Sql } from '@app/clickhouse';
import type { CallsStatsRequest } from '@app/contracts';
import { ProblemError } from '@app/http';
import { PricedSql, PriceList } from '@app/pricing';
import { nowMillis, type Micros } from '@app/wire';
import type { CallFields } from '../calls/call-fields.js';
import { CallFieldsReader } from '../calls/call-fields.reader.js';
import { exactCallsQuery } from '../calls/calls-query.js';
import { PricesReader } from '../costs/prices.reader.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { callBuckets, usageBuckets } from './calls-stats.sql.js';
import { statsGroups, type Group } from './report-groups.js';
import { callMetric, columnsOf, usageMetric, type Column } from './stats-metrics.js';
import { printed, timeBuckets, type TimeBuckets } from './time-buckets.js';
import { modelsUsed, startedBetween, type UsageQuery } from './usage-rows.sql.js';

/** The most buckets of groups in a response. */
const STATS_ROWS_MAX = 10_000;

interface BucketRow {
  readonly bucket: number | string;
  readonly model?: string;
  readonly count: number | string;
  readonly [value: `v${number}`]: string | number | null;
  readonly [group: `g${number}`]: string;
}

/** Aggregates calls over time. */
@Injectable()
export class CallsStatsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
  ) {}

  /** The response as JSON text, so that decimals keep all digits. */
  async stats(
    request: CallsStatsRequest,
    context: ReadContext,
    now = nowMillis(),
  ): Promise<string> {
    const buckets = timeBuckets(request, now);
    const groups = statsGroups(request.group_by ?? [], request.project_id, buckets);
    const statistics = {
      request,
      buckets,
      groups,
      fields: await this.fields.fieldsOf(request, context),
    };
    const usage = await this.usage(statistics, context);
    const calls = await this.calls(statistics, context);
    const range = {
      start: printed(buckets.from),
      end: printed(buckets.to),
      granularity: buckets.granularity,
      timezone: buckets.clock.zone,
    };
    return `${JSON.stringify(range).slice(0, -1)},"usage_buckets":[${usage.join(',')}],"call_buckets":[${calls.join(',')}]}`;
  }

  private async usage(
    { request, fields, buckets, groups: requested }: Statistics,
    context: ReadContext,
  ): Promise<string[]> {
    const metrics = request.usage_metrics ?? [];
    if (metrics.length === 0) return [];
    const isRoots = request.filter?.trace_roots_only === true;
    const since = await this.retention.cutoff(request.project_id);
    const query = usageQuery(request, fields, !isRoots, since);
    const scope = request.usage_scope === 'exclusive' ? 'exclusive' : isRoots ? 'roots' : 'all';
    const hasCost = metrics.some(({ metric }) => metric.endsWith('_cost'));
    const inTime = startedBetween(query, buckets.from, buckets.to);
    const list = hasCost
      ? await this.prices.listOfUsed(query.projectId, modelsUsed(inTime, scope), context)
      : new PriceList([]);
    const priced = new PricedSql(list);
    const columns = columnsOf(metrics, usageMetric(priced));
    // Usage is always by model.
    const groups = requested.filter(({ perCall }) => perCall);
    const stats = { query, buckets, columns, groups, maxRows: STATS_ROWS_MAX };
    const rows = await this.rows(usageBuckets(stats, scope, priced), groups, context);
    const models = [...new Set(rows.map(({ model }) => model!))].sort();
    return requested.length > 0
      ? groupRecords(rows, buckets, columns, groups)
      : bucketRecords(rows, buckets, columns, models);
  }

  private async calls(
    { request, fields, buckets, groups }: Statistics,
    context: ReadContext,
  ): Promise<string[]> {
    const columns = columnsOf(request.call_metrics ?? [], callMetric);
    if (columns.length === 0) return [];
    const since = await this.retention.cutoff(request.project_id);
    const query = usageQuery(request, fields, true, since);
    const stats = { query, buckets, columns, groups, maxRows: STATS_ROWS_MAX };
    const rows = await this.rows(callBuckets(stats), groups, context);
    return groups.length > 0
      ? groupRecords(rows, buckets, columns, groups)
      : bucketRecords(rows, buckets, columns, [undefined]);
  }

  private async rows(
    query: Sql,
    groups: readonly Group[],
    context: ReadContext,
  ): Promise<BucketRow[]> {
    const rows = await this.executor.rows<BucketRow>(query, context);
    if (groups.length === 0 || rows.length <= STATS_ROWS_MAX) return rows;
    throw new ProblemError(
      'invalid_request',
      `group_by has more than ${STATS_ROWS_MAX} groups in these buckets; set a larger granularity, a shorter range or fewer groups.`,
    );
  }
}

interface Statistics {
  readonly request: CallsStatsRequest;
  readonly fields: CallFields;
  readonly buckets: TimeBuckets;
  readonly groups: readonly Group[];
}

/** Drops the filter for roots when the usage scope selects the roots itself: it also counts OpenTelemetry spans. */
function usageQuery(
  request: CallsStatsRequest,
  fields: CallFields,
  withRootsFilter: boolean,
  since: Micros | undefined,
): UsageQuery {
  const filter = withRootsFilter ? request.filter : { ...request.filter, trace_roots_only: false };
  const { project_id, query } = request;
  return exactCallsQuery(
    { project_id, filter: filter ?? null, query: query ?? null, since },
    fields,
  );
}

/** One record per bucket and model, also for buckets without calls. */
function bucketRecords(
  rows: readonly BucketRow[],
  { starts, clock }: TimeBuckets,
  columns: readonly Column[],
  models: readonly (string | undefined)[],
): string[] {
  const keyOf = (bucket: number, model: string | undefined) => JSON.stringify([bucket, model]);
  const byBucket = new Map(rows.map((row) => [keyOf(Number(row.bucket), row.model), row]));
  return starts.flatMap((start) => {
    const timestamp = printed(clock.utc(start));
    return models.map((model) => {
      const head = model === undefined ? { timestamp } : { timestamp, model };
      return recordText(head, columns, byBucket.get(keyOf(start, model)));
    });
  });
}

/** One record per bucket and group with calls: with many groups, most buckets of most groups are empty. */
const groupRecords = (
  rows: readonly BucketRow[],
  { clock }: TimeBuckets,
  columns: readonly Column[],
  groups: readonly Group[],
): string[] =>
  rows.map((row) => {
    const timestamp = printed(clock.utc(Number(row.bucket)));
    const model = row.model === undefined ? {} : { model: row.model };
    const keys = groups.map(({ requested }, i) => [requested, row[`g${i}`]] as const);
    return recordText({ timestamp, ...model, ...Object.fromEntries(keys) }, columns, row);
  });

function recordText(head: object, columns: readonly Column[], row: BucketRow | undefined): string {
  const members = columns.map(
    ({ key, empty }, i) => `${JSON.stringify(key)}:${number(row?.[`v${i}`], empty)}`,
  );
  return `${JSON.stringify(head).slice(0, -1)},${[...members, `"count":${row?.count ?? 0}`].join(',')}}`;
}

function number(value: string | number | null | undefined, empty: string): string {
  return value === null || value === undefined || value === 'nan' ? empty : String(value);
}
