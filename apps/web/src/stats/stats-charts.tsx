import { useNavigate } from '@tanstack/react-router';
import { formatCount, formatDuration, formatShare, formatTime } from '../format.js';
import css from '../ui/line-chart.module.css';
import { LineChart, type Line } from '../ui/line-chart.js';
import { errorRate, tokensOf, type CallStats, type Stats } from './stats-api.js';

interface ChartsProps {
  readonly projectId: string;
  readonly stats: Stats;
}

/** An axis of few traces has fractions. */
const formatRate = (value: number) => (value < 10 ? value.toFixed(2) : formatCount(value));

/** The figures of the table below as lines. A time opens the list of its traces. */
export function StatsCharts({ projectId, stats }: ChartsProps) {
  const navigate = useNavigate();
  const [entity = '', project = ''] = projectId.split('/');
  const { call_buckets: buckets, granularity } = stats;
  const tokens = tokensOf(stats.usage_buckets);
  const line = (label: string, valueOf: (bucket: CallStats) => number | null): Line => ({
    label,
    values: buckets.map(valueOf),
  });
  const charts = [
    {
      label: 'Latency',
      format: formatDuration,
      lines: [
        line('Median', ({ p50_latency_ms }) => p50_latency_ms),
        line('95th percentile', ({ p95_latency_ms }) => p95_latency_ms),
        line('99th percentile', ({ p99_latency_ms }) => p99_latency_ms),
      ],
    },
    {
      label: 'Errors',
      format: formatShare,
      lines: [line('Share', (bucket) => (bucket.sum_call_count === 0 ? null : errorRate(bucket)))],
    },
    {
      label: 'Traces',
      format: formatRate,
      lines: [line('Per minute', ({ sum_call_count }) => (sum_call_count / granularity) * 60)],
    },
    {
      label: 'Tokens',
      format: formatCount,
      lines: [line('Tokens', ({ timestamp }) => tokens.get(timestamp) ?? 0)],
    },
  ];
  const open = (index: number) => {
    const from = buckets[index]!.timestamp;
    const to = new Date(Date.parse(from) + granularity * 1000).toISOString();
    void navigate({
      to: '/$entity/$project/weave/traces',
      params: { entity, project },
      search: { from, to },
    });
  };
  if (buckets.length < 2) return null;
  return (
    <div className={css.charts}>
      {charts.map((chart) => (
        <LineChart
          key={chart.label}
          {...chart}
          times={buckets.map(({ timestamp }) => Date.parse(timestamp) / 1000)}
          formatTime={(seconds) => formatTime(new Date(seconds * 1000).toISOString(), Date.now())}
          onSelect={open}
        />
      ))}
    </div>
  );
}
