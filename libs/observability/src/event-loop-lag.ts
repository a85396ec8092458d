import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** The histogram measures the time between two timers, which is never shorter than this. */
const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.99, 1] as const;

/** How late the event loop was since the last scrape. A request that blocks it delays all others by as much. */
export function measureEventLoopLag(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'heddle_event_loop_lag_seconds',
    help: 'How late the event loop ran its timers since the last scrape; quantile 1 is the longest delay.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const quantile of QUANTILES) this.set({ quantile }, lagSeconds(delay, quantile));
      delay.reset();
    },
  });
}

export function lagSeconds(
  delay: Pick<IntervalHistogram, 'count' | 'percentile'>,
  quantile: number,
): number {
  if (delay.count === 0) return 0;
  return Math.max(0, delay.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000);
}
