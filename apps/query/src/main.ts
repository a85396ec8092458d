import 'reflect-metadata';
import { readConfig } from '@app/config';
import { serve } from '@app/http';
import {
  collectHeapSeldom,
  createLogger,
  logDestination,
  run,
  startTracing,
  type Logger,
} from '@app/observability';
import { QueryProcess } from './query.process.js';

const DEFAULT_PORT = 8082;
let logger: Logger | undefined;

collectHeapSeldom();
await run(
  async () => {
    const config = readConfig();
    logger = createLogger('query', config.logLevel, logDestination(config.logFormat));
    startTracing(config.tracing, 'query', logger);
    const module = QueryProcess.register(config, logger);
    const serving = await serve(module, {
      config: config.server,
      port: DEFAULT_PORT,
      logger,
      docs: true,
    });
    logger.info('Query is listening.', { url: serving.url });
    return serving;
  },
  () => logger,
);
