import { formatDuration } from '../format.js';
import css from '../costs/costs.module.css';
import type { CallStats } from './stats-api.js';

const HEIGHT = 100;
const LINES = [
  { key: 'p50_latency_ms', label: 'Median latency', series: 'series0' },
  { key: 'p95_latency_ms', label: '95th percentile', series: 'series1' },
  { key: 'p99_latency_ms', label: '99th percentile', series: 'series2' },
] as const;

/** Latency over time as lines; the table below has the same figures. */
export function LatencyChart({ buckets }: { readonly buckets: readonly CallStats[] }) {
  const max = Math.max(0, ...buckets.map(({ p99_latency_ms }) => p99_latency_ms ?? 0));
  if (!(max > 0)) return null;
  return (
    <figure className={css.figure}>
      <svg
        role="img"
        aria-label={`Latency over time; at most ${formatDuration(max)}`}
        viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={css.chart}
      >
        {LINES.map(({ key, series }) => (
          <g key={key} className={css[series]}>
            {buckets.map((bucket, i) => {
              const value = bucket[key];
              if (value === null) return null;
              const y = HEIGHT - (value / max) * (HEIGHT - 4);
              return (
                <rect key={bucket.timestamp} x={i + 0.1} y={y - 2} width={0.8} height={3}>
                  <title>{`${bucket.timestamp}: ${formatDuration(value)}`}</title>
                </rect>
              );
            })}
          </g>
        ))}
      </svg>
      <ul className={css.legend}>
        {LINES.map(({ key, label, series }) => (
          <li key={key}>
            <span aria-hidden className={`${css.swatch} ${css[series]}`} /> {label}
          </li>
        ))}
      </ul>
    </figure>
  );
}
