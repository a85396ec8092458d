import { queryOptions } from '@tanstack/react-query';
import { post } from '../api/client.js';

export interface StatsPeriod {
  readonly name: string;
  readonly label: string;
  readonly seconds: number;
  /** Width of a bucket. */
  readonly step: number;
}

const DAY = 86_400;

export const STATS_PERIODS: readonly StatsPeriod[] = [
  { name: '24h', label: 'last 24 hours', seconds: DAY, step: 3600 },
  { name: '7d', label: 'last 7 days', seconds: 7 * DAY, step: 6 * 3600 },
  { name: '30d', label: 'last 30 days', seconds: 30 * DAY, step: DAY },
];

/** Calls of one bucket or one group. */
export interface CallStats {
  readonly timestamp: string;
  readonly sum_call_count: number;
  readonly sum_error_count: number;
  readonly p50_latency_ms: number | null;
  readonly p95_latency_ms: number | null;
  readonly p99_latency_ms: number | null;
  readonly [group: string]: string | number | null;
}

interface UsageStats {
  readonly timestamp: string;
  readonly sum_total_tokens: number;
}

export interface Stats {
  readonly start: string;
  readonly end: string;
  readonly granularity: number;
  readonly call_buckets: readonly CallStats[];
  readonly usage_buckets: readonly UsageStats[];
}

const CALL_METRICS = [
  { metric: 'latency_ms', percentiles: [50, 95, 99] },
  { metric: 'call_count' },
  { metric: 'error_count' },
];
const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The calls of traces over time; with `by`, those of each group in one bucket. */
export const statsQuery = (projectId: string, period: StatsPeriod, end: number, by?: string) => {
  const start = end - period.seconds;
  return queryOptions({
    queryKey: ['stats', projectId, period.name, end, by ?? ''],
    queryFn: ({ signal }) =>
      post<Stats>(
        '/calls/stats',
        {
          project_id: projectId,
          start: new Date(start * 1000).toISOString(),
          end: new Date(end * 1000).toISOString(),
          timezone,
          call_metrics: CALL_METRICS,
          ...(by === undefined
            ? {
                granularity: period.step,
                usage_metrics: [{ metric: 'total_tokens' }],
                filter: { trace_roots_only: true },
              }
            : { granularity: wholeBucket(start, end), group_by: [by] }),
        },
        signal,
      ),
  });
};

/**
 * The width of buckets of which one contains the whole time, because percentiles of two buckets cannot be added. Buckets begin
 * at multiples of their width in local time, which a day of margin allows for.
 */
export function wholeBucket(start: number, end: number): number {
  const [from, to] = [Math.floor(start / DAY) - 1, Math.ceil(end / DAY) + 1];
  for (let days = to - from; days <= 366; days++) {
    if (Math.floor(from / days) === Math.floor((to - 1) / days)) return days * DAY;
  }
  return 366 * DAY;
}

export const errorRate = ({ sum_call_count, sum_error_count }: CallStats): number =>
  sum_call_count === 0 ? 0 : sum_error_count / sum_call_count;

/** The tokens of all models by bucket. */
export function tokensOf(usage: readonly UsageStats[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { timestamp, sum_total_tokens } of usage)
    sums.set(timestamp, (sums.get(timestamp) ?? 0) + Number(sum_total_tokens));
  return sums;
}
