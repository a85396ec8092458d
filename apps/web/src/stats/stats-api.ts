import { queryOptions } from '@tanstack/react-query';
import { post } from '../api/client.js';

export interface StatsPeriod {
  readonly name: string;
  readonly label: string;
  readonly seconds: number;
  /** Width of a bucket. */
  readonly step: number;
  /** Ends at the last midnight instead of now. */
  readonly isWholeDay?: true;
}

const DAY = 86_400;

export const STATS_PERIODS: readonly StatsPeriod[] = [
  { name: '24h', label: 'last 24 hours', seconds: DAY, step: 3600 },
  { name: 'yesterday', label: 'yesterday', seconds: DAY, step: 3600, isWholeDay: true },
  { name: '1h', label: 'last hour', seconds: 3600, step: 120 },
  { name: '7d', label: 'last 7 days', seconds: 7 * DAY, step: 6 * 3600 },
  { name: '30d', label: 'last 30 days', seconds: 30 * DAY, step: DAY },
];

const MINUTE = 60;

/** The end of a period in seconds: the next whole minute, so that a minute of requests shares one response. */
export function endOf({ isWholeDay }: StatsPeriod, nowMs: number): number {
  if (!isWholeDay) return Math.ceil(nowMs / 1000 / MINUTE) * MINUTE;
  return new Date(nowMs).setHours(0, 0, 0, 0) / 1000;
}

/** Calls of one bucket or one group. */
export interface CallStats {
  readonly timestamp: string;
  readonly sum_call_count: number;
  readonly sum_error_count: number;
  readonly p50_latency_ms: number | null;
  readonly p95_latency_ms: number | null;
  readonly p99_latency_ms: number | null;
  readonly p50_time_to_first_token_ms: number | null;
  readonly [group: string]: string | number | null;
}

export interface UsageStats {
  readonly timestamp: string;
  readonly sum_total_tokens: number;
  readonly [group: string]: string | number;
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
  { metric: 'time_to_first_token_ms', percentiles: [50] },
];
const USAGE_METRICS = [{ metric: 'total_tokens' }];
const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const rangeOf = (projectId: string, period: StatsPeriod, end: number) => ({
  project_id: projectId,
  start: new Date((end - period.seconds) * 1000).toISOString(),
  end: new Date(end * 1000).toISOString(),
  timezone,
});

/** Traces over time. */
export const statsQuery = (projectId: string, period: StatsPeriod, end: number) =>
  queryOptions({
    queryKey: ['stats', projectId, period.name, end],
    queryFn: ({ signal }) =>
      post<Stats>(
        '/calls/stats',
        {
          ...rangeOf(projectId, period, end),
          call_metrics: CALL_METRICS,
          usage_metrics: USAGE_METRICS,
          granularity: period.step,
          filter: { trace_roots_only: true },
        },
        signal,
      ),
  });

/** All calls of each group in one bucket. Each call counts its own tokens, without those of the calls below it. */
export const groupsQuery = (projectId: string, period: StatsPeriod, end: number, by: string) =>
  queryOptions({
    queryKey: ['stats by', projectId, period.name, end, by],
    queryFn: ({ signal }) =>
      post<Stats>(
        '/calls/stats',
        {
          ...rangeOf(projectId, period, end),
          call_metrics: CALL_METRICS,
          usage_metrics: USAGE_METRICS,
          usage_scope: 'exclusive',
          granularity: wholeBucket(end - period.seconds, end),
          group_by: [by],
        },
        signal,
      ),
  });

/** How many traces began in each bucket, by band of latency. */
export const heatQuery = (projectId: string, period: StatsPeriod, end: number) =>
  queryOptions({
    queryKey: ['heat', projectId, period.name, end],
    queryFn: ({ signal }) =>
      post<Stats>(
        '/calls/stats',
        {
          ...rangeOf(projectId, period, end),
          call_metrics: [{ metric: 'call_count' }],
          granularity: period.step,
          filter: { trace_roots_only: true },
          group_by: ['latency'],
        },
        signal,
      ),
  });

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

/** The tokens of all models by bucket, or by group. */
export function tokensOf(usage: readonly UsageStats[], key = 'timestamp'): Map<string, number> {
  const sums = new Map<string, number>();
  for (const row of usage) {
    const group = String(row[key]);
    sums.set(group, (sums.get(group) ?? 0) + Number(row.sum_total_tokens));
  }
  return sums;
}
