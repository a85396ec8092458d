export { runChecks, type Check, type Health } from './checks.js';
export { createLogger, logDestination, type Logger } from './logger.js';
export {
  collectedGauges,
  counter,
  gauge,
  metrics,
  metricsPage,
  seconds,
  sizes,
} from './metrics.js';
export { run, type Running } from './run.js';
