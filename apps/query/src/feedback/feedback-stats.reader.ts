import { Injectable } from '@nestjs/common';
import type {
  FeedbackAggregateRequest,
  FeedbackAggregateResponse,
  FeedbackSchemaRequest,
  FeedbackSchemaResponse,
  FeedbackStatsRequest,
  FeedbackStatsResponse,
  PayloadPath,
} from '@app/contracts';
import { ProblemError } from '@app/http';
import { nowMillis } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { printed, timeBuckets } from '../usage/time-buckets.js';
import { aggregateFeedback } from './feedback-aggregate.sql.js';
import { feedbackStats, feedbackWhere, measuresOf, payloadSample } from './feedback-stats.sql.js';

const SAMPLE = 2000;
const RANGE_MAX_MS = 31 * 86_400_000;
const BUCKETS_MAX = 256;

type ValuesRow = Readonly<Record<string, number | string | null>>;
type Counts = Readonly<Record<string, number | string>>;

interface AggregateRow {
  readonly bucket?: number | string;
  readonly total_count: number | string;
  readonly scored_count: number | string;
  readonly tag_counts: Counts;
  readonly rating_counts: Counts;
  readonly rating_sums: Counts;
  readonly [group: `g${number}`]: string;
}

/** Aggregates feedback. */
@Injectable()
export class FeedbackStatsReader {
  constructor(private readonly executor: QueryExecutor) {}

  async stats(request: FeedbackStatsRequest, context: ReadContext): Promise<FeedbackStatsResponse> {
    const buckets = timeBuckets(request, nowMillis());
    const measures = measuresOf(request.metrics ?? []);
    const window = {
      start: printed(buckets.from),
      end: printed(buckets.to),
      granularity: buckets.granularity,
      timezone: buckets.clock.zone,
    };
    if (measures.length === 0) return { ...window, buckets: [], window_stats: {} };
    const where = feedbackWhere(request, buckets.from, buckets.to);
    const rows = await this.executor.rows<ValuesRow>(
      feedbackStats(where, measures, buckets),
      context,
    );
    const [all] = await this.executor.rows<ValuesRow>(feedbackStats(where, measures), context);
    const byStart = new Map(rows.map((row) => [Number(row['bucket']), row]));
    const totals: Record<string, Record<string, number | null>> = {};
    for (const [i, { name, slug, empty }] of measures.entries()) {
      (totals[slug] ??= {})[name] = valueOf(all?.[`v${i}`], empty);
    }
    return {
      ...window,
      buckets: buckets.starts.map((start) => {
        const row = byStart.get(start);
        const values = measures.map(({ name, slug, empty }, i): [string, number | null] => [
          `${name}_${slug}`,
          valueOf(row?.[`v${i}`], empty),
        ]);
        return {
          timestamp: printed(buckets.clock.utc(start)),
          count: Number(row?.['count'] ?? 0),
          ...Object.fromEntries(values),
        };
      }),
      window_stats: totals,
    };
  }

  async payloadSchema(
    request: FeedbackSchemaRequest,
    context: ReadContext,
  ): Promise<FeedbackSchemaResponse> {
    const { from, to } = timeBuckets(request, nowMillis());
    const sample = payloadSample(feedbackWhere(request, from, to), request.sample_limit ?? SAMPLE);
    const rows = await this.executor.rows<{ payload: string }>(sample, context);
    return { paths: payloadPaths(rows.map(({ payload }) => payload)) };
  }

  async aggregate(
    request: FeedbackAggregateRequest,
    context: ReadContext,
  ): Promise<FeedbackAggregateResponse> {
    const { after_ms, before_ms, group_by } = request;
    const seconds = bucketSeconds(request);
    const rows = await this.executor.rows<AggregateRow>(
      aggregateFeedback(request, seconds && seconds * 1000),
      context,
    );
    return {
      time_bucket_seconds: seconds ?? null,
      after_ms,
      before_ms,
      buckets: rows.map((row) => ({
        ...(seconds ? { time_bucket_start_ms: Number(row.bucket) } : {}),
        group: Object.fromEntries((group_by ?? []).map((name, i) => [name, row[`g${i}`]])),
        total_count: Number(row.total_count),
        scored_count: Number(row.scored_count),
        tag_counts: numbers(row.tag_counts),
        rating_counts: numbers(row.rating_counts),
        rating_sums: numbers(row.rating_sums),
      })),
    };
  }
}

/** A plain total may cover any time range; every other aggregate has a maximum. */
function bucketSeconds(request: FeedbackAggregateRequest): number | undefined {
  const { after_ms, before_ms, time_bucket_seconds, group_by } = request;
  const range = before_ms - after_ms;
  if (range < 0) throw invalid('before_ms is before after_ms');
  const isTotal = !time_bucket_seconds && !group_by?.length;
  if (range > RANGE_MAX_MS && !isTotal)
    throw invalid('after_ms and before_ms are more than 31 days apart');
  if (!time_bucket_seconds) return undefined;
  if (range / 1000 / time_bucket_seconds > BUCKETS_MAX) {
    throw invalid(`time_bucket_seconds makes more than ${BUCKETS_MAX} buckets`);
  }
  return time_bucket_seconds;
}

const numbers = (counts: Counts) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));

function valueOf(value: number | string | null | undefined, empty: number | null): number | null {
  return value === null || value === undefined ? empty : Number(value);
}

const invalid = (reason: string) => new ProblemError('invalid_request', `${reason}.`);

const PATHS_MAX = 1000;

/** The paths of scalars in payloads and their types; `categorical` where the types differ. */
function payloadPaths(payloads: readonly string[]): PayloadPath[] {
  const types = new Map<string, string>();
  for (const payload of payloads) collect(types, '', JSON.parse(payload) as unknown);
  return [...types]
    .map(([json_path, value_type]) => ({ json_path, value_type }))
    .sort((a, b) => (a.json_path < b.json_path ? -1 : 1));
}

function collect(types: Map<string, string>, path: string, value: unknown): void {
  if (value === null || Array.isArray(value)) return;
  if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const name = key.replace(/[.\\]/g, '\\$&');
      collect(types, path === '' ? name : `${path}.${name}`, inner);
    }
    return;
  }
  const type = typeOf(value);
  const known = types.get(path);
  if (known === undefined && types.size >= PATHS_MAX) return;
  types.set(path, known === undefined || known === type ? type : 'categorical');
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return 'numeric';
  return typeof value === 'boolean' ? 'boolean' : 'categorical';
}
