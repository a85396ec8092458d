import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { measureEventLoopLag } from './event-loop-lag.js';
import { mergedPage } from './merged-page.js';

/**
 * The Prometheus registry of a process. Labels have a bounded set of values: never a project or an op. Names are
 * `heddle_<part>_<what>_<unit>`; docs/reference/metrics.md lists them.
 */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
measureEventLoopLag(metrics);

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 10, 100, 1000, 10_000, 100_000];

export const counter = <L extends string = never>(
  name: string,
  help: string,
  labelNames: L[] = [],
) => new Counter({ name, help, labelNames, registers: [metrics] });

/** A gauge that the process sets itself. */
export const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metrics] });

export const seconds = <L extends string = never>(
  name: string,
  help: string,
  labelNames: L[] = [],
) => new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [metrics] });

export const sizes = (name: string, help: string) =>
  new Histogram({ name, help, buckets: SIZES, registers: [metrics] });

const collectors = new Map<string, () => Promise<void>>();

/** Gauges that `collect` sets together on every scrape. If `collect` fails, they keep their last values. */
export function collectedGauges<Name extends string>(
  help: Readonly<Record<Name, string>>,
  collect: () => Promise<Record<Name, number>>,
): void {
  const names = Object.keys(help) as Name[];
  const gauges = names.map((name) => sharedGauge(name, help[name]));
  collectors.set(names.join(), async () => {
    const values = await collect();
    gauges.forEach((one, i) => one.set(values[names[i]!]));
  });
}

/** Reuses the gauge when several parts of a process register the same name. */
function sharedGauge(name: string, help: string): Gauge {
  const registered = metrics.getSingleMetric(name);
  return registered instanceof Gauge ? registered : gauge(name, help);
}

/** `collect` sets metrics on every scrape. If it fails, they keep their last values. */
export function collectOnScrape(name: string, collect: () => Promise<void>): void {
  collectors.set(name, collect);
}

interface ChildPage {
  readonly process: string;
  readonly read: () => Promise<string>;
}

let child: ChildPage | undefined;

/** Adds the metrics of a child process to the page of this one, because no Prometheus can reach the child. */
export function includePageOf(process: string, read: () => Promise<string>): void {
  child = { process, read };
}

/** The text of `/metrics`. */
export async function metricsPage(): Promise<string> {
  const page = child?.read().catch(() => '');
  await Promise.allSettled([...collectors.values()].map((collect) => collect()));
  const own = await metrics.metrics();
  return child === undefined ? own : mergedPage(own, (await page) ?? '', child.process);
}
