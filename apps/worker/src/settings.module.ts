import { Module, type DynamicModule } from '@nestjs/common';
import type { WorkerConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { LOGGER, WORKER_CONFIG } from './tokens.js';

/** The settings and the log of the worker process. Consumers and jobs need them, and therefore they are global. */
@Module({})
export class SettingsModule {
  static register(config: WorkerConfig, logger: Logger): DynamicModule {
    return {
      module: SettingsModule,
      global: true,
      providers: [
        { provide: WORKER_CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [WORKER_CONFIG, LOGGER],
    };
  }
}
