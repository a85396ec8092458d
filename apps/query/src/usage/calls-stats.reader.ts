import { Injectable } from '@nestjs/common';
import type { CallsStatsRequest } from '@app/contracts';
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
import { callMetric, columnsOf, usageMetric, type Column } from './stats-metrics.js';
import { printed, timeBuckets, type TimeBuckets } from './time-buckets.js';
import { modelsUsed, startedBetween, type UsageQuery } from './usage-rows.sql.js';

interface BucketRow {
  readonly bucket: number | string;
  readonly model?: string;
  readonly count: number | string;
  readonly [value: `v${number}`]: string | number | null;
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
    const fields = await this.fields.fieldsOf(request, context);
    const usage = await this.usage(request, fields, buckets, context);
    const calls = await this.calls(request, fields, buckets, context);
    const range = {
      start: printed(buckets.from),
      end: printed(buckets.to),
      granularity: buckets.granularity,
      timezone: buckets.clock.zone,
    };
    return `${JSON.stringify(range).slice(0, -1)},"usage_buckets":[${usage.join(',')}],"call_buckets":[${calls.join(',')}]}`;
  }

  private async usage(
    request: CallsStatsRequest,
    fields: CallFields,
    buckets: TimeBuckets,
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
    const rows = await this.executor.rows<BucketRow>(
      usageBuckets(query, scope, buckets, columns, priced),
      context,
    );
    return bucketRecords(
      rows,
      buckets,
      columns,
      [...new Set(rows.map(({ model }) => model!))].sort(),
    );
  }

  private async calls(
    request: CallsStatsRequest,
    fields: CallFields,
    buckets: TimeBuckets,
    context: ReadContext,
  ): Promise<string[]> {
    const columns = columnsOf(request.call_metrics ?? [], callMetric);
    if (columns.length === 0) return [];
    const rows = await this.executor.rows<BucketRow>(
      callBuckets(
        usageQuery(request, fields, true, await this.retention.cutoff(request.project_id)),
        buckets,
        columns,
      ),
      context,
    );
    return bucketRecords(rows, buckets, columns, [undefined]);
  }
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
      const row = byBucket.get(keyOf(start, model));
      const members = columns.map(
        ({ key, empty }, i) => `${JSON.stringify(key)}:${number(row?.[`v${i}`], empty)}`,
      );
      const head = JSON.stringify(model === undefined ? { timestamp } : { timestamp, model });
      return `${head.slice(0, -1)},${[...members, `"count":${row?.count ?? 0}`].join(',')}}`;
    });
  });
}

function number(value: string | number | null | undefined, empty: string): string {
  return value === null || value === undefined || value === 'nan' ? empty : String(value);
}
