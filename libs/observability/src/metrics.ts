import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What a process counts about itself. Labels are bounded sets: never a project or an op. Names are
 * `<room>_<what>_<unit>`, as Prometheus expects.
 */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 10, 100, 1000, 10_000, 100_000];

export const counter = <L extends string = never>(
  name: string,
  help: string,
  labelNames: L[] = [],
) => new Counter({ name, help, labelNames, registers: [metrics] });

export const seconds = (name: string, help: string) =>
  new Histogram({ name, help, buckets: SECONDS, registers: [metrics] });

export const sizes = (name: string, help: string) =>
  new Histogram({ name, help, buckets: SIZES, registers: [metrics] });

const lookups = new Map<string, () => Promise<void>>();

/** Gauges that are looked up together when somebody asks; a look-up that fails leaves them as they were. */
export function lookedUp<Name extends string>(
  help: Readonly<Record<Name, string>>,
  look: () => Promise<Record<Name, number>>,
): void {
  const names = Object.keys(help) as Name[];
  const gauges = names.map((name) => gauge(name, help[name]));
  lookups.set(names.join(), async () => {
    const values = await look();
    gauges.forEach((one, i) => one.set(values[names[i]!]));
  });
}

/** One per name, also when several parts of a process know it. */
function gauge(name: string, help: string): Gauge {
  const known = metrics.getSingleMetric(name);
  return known instanceof Gauge ? known : new Gauge({ name, help, registers: [metrics] });
}

/** The page that monitors read. */
export async function metricsPage(): Promise<string> {
  await Promise.allSettled([...lookups.values()].map((look) => look()));
  return metrics.metrics();
}
