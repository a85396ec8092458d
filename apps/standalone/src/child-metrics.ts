import { usageOf, type ProcessUsage } from '@app/embedded';
import { collectOnScrape, counter, gauge } from '@app/observability';

const UP = gauge('heddle_child_up', 'Whether a child process of standalone runs.', ['child']);
const MEMORY = gauge(
  'heddle_child_resident_memory_bytes',
  'Memory of a child process of standalone; on Linux only.',
  ['child'],
);
const CPU = counter(
  'heddle_child_cpu_seconds_total',
  'CPU time of a child process of standalone, over its restarts; on Linux only.',
  ['child'],
);

type Pids = Readonly<Record<string, () => number | undefined>>;

/** Reads one small file of each child on a scrape. */
export function measureChildren(pids: Pids, read: typeof usageOf = usageOf): void {
  const last = new Map<string, ProcessUsage & { readonly pid: number }>();
  collectOnScrape('children', async () => {
    for (const [child, pidOf] of Object.entries(pids)) {
      const pid = pidOf();
      UP.set({ child }, pid === undefined ? 0 : 1);
      const usage = pid === undefined ? undefined : await read(pid);
      MEMORY.set({ child }, usage?.memoryBytes ?? 0);
      if (pid === undefined || usage === undefined) continue;
      const before = last.get(child);
      const sinceSeconds = before?.pid === pid ? before.cpuSeconds : 0;
      CPU.inc({ child }, Math.max(0, usage.cpuSeconds - sinceSeconds));
      last.set(child, { pid, ...usage });
    }
  });
}
