import 'reflect-metadata';
import { readConfig } from '@app/config';
import {
  collectHeapSeldom,
  createLogger,
  logDestination,
  run,
  startTracing,
  type Logger,
} from '@app/observability';
import { startStandalone } from './standalone.js';

let logger: Logger | undefined;

collectHeapSeldom();
await run(
  async () => {
    const config = readConfig();
    logger = createLogger('standalone', config.logLevel, logDestination(config.logFormat));
    startTracing(config.tracing, 'standalone', logger);
    return startStandalone(config, logger);
  },
  () => logger,
);
