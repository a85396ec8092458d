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
import { IngestProcess } from './ingest.process.js';

const DEFAULT_PORT = 8081;
let logger: Logger | undefined;

collectHeapSeldom();
await run(
  async () => {
    const config = readConfig();
    logger = createLogger('ingest', config.logLevel, logDestination(config.logFormat));
    startTracing(config.tracing, 'ingest', logger);
    const module = IngestProcess.register(config, logger);
    const serving = await serve(module, { config: config.server, port: DEFAULT_PORT, logger });
    logger.info('Ingest is listening.', { url: serving.url });
    return serving;
  },
  () => logger,
);
