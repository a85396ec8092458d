import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { lagSeconds, measureEventLoopLag } from './event-loop-lag.js';

describe('the lag of the event loop', () => {
  it('is at least the time for which code has blocked it, and starts again with every scrape', async () => {
    const registry = new Registry();
    measureEventLoopLag(registry);
    const longest = async () =>
      Number(/quantile="1"\} ([\d.e-]+)/.exec(await registry.metrics())?.[1]);
    await sleep(50);

    const until = performance.now() + 300;
    while (performance.now() < until) continue;
    await sleep(50);

    expect(await longest()).toBeGreaterThan(0.25);
    // On a busy machine other processes may delay the event loop too, but not each time.
    const later: number[] = [];
    for (let scrape = 0; scrape < 20 && !later.some((lag) => lag < 0.25); scrape++) {
      await sleep(50);
      later.push(await longest());
    }
    expect(Math.min(...later)).toBeLessThan(0.25);
  });

  it('is 0 before it was measured, and without the time between two measurements', () => {
    expect(lagSeconds({ count: 0, percentile: () => NaN }, 1)).toBe(0);
    expect(lagSeconds({ count: 5, percentile: () => 8e6 }, 1)).toBe(0);
    expect(lagSeconds({ count: 5, percentile: () => 60e6 }, 0.99)).toBeCloseTo(0.05);
  });
});
