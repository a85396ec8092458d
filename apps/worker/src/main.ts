import 'reflect-metadata';
import { readConfig } from '@app/config';
import { serve } from '@app/http';
import { createLogger, logDestination, run, startTracing, type Logger } from '@app/observability';
import { WorkerModule } from './worker.module.js';

const DEFAULT_PORT = 8083;
let logger: Logger | undefined;

await run(
  async () => {
    const config = readConfig();
    logger = createLogger('worker', config.logLevel, logDestination(config.logFormat));
    startTracing(config.tracing, 'worker', logger);
    const module = WorkerModule.register(config, logger);
    const serving = await serve(module, { config: config.server, port: DEFAULT_PORT, logger });
    logger.info('Worker started.', { health: `${serving.url}/readyz` });
    return serving;
  },
  () => logger,
);
