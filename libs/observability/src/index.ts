export { runChecks, type Check, type Health } from './checks.js';
export { collectHeapSeldom } from './heap-growth.js';
export { garbageCollection } from './idle-collector.js';
export { createLogger, logDestination, type Logger } from './logger.js';
export {
  collectedGauges,
  collectOnScrape,
  counter,
  gauge,
  includePageOf,
  metrics,
  metricsPage,
  seconds,
  sizes,
} from './metrics.js';
export { run, type Running } from './run.js';
export {
  currentSpan,
  isTracing,
  runInSpan,
  startJobSpans,
  startRequestSpan,
  startSharedSpan,
  startSpan,
  startTracing,
  stopTracing,
  traced,
  traceparentsOf,
} from './tracing/tracing.js';
export type { Span } from './tracing/span.js';
