import { Module, type DynamicModule } from '@nestjs/common';
import type { IngestConfig } from '@app/config';
import { Clock } from './clock.js';
import { PartsPublisher } from './parts.publisher.js';
import { INGEST_CONFIG } from './tokens.js';

/** What every feature module needs, and therefore global. Queue, store and keys come from the process. */
@Module({})
export class WriteModule {
  static register(config: IngestConfig): DynamicModule {
    return {
      module: WriteModule,
      global: true,
      providers: [{ provide: INGEST_CONFIG, useValue: config }, Clock, PartsPublisher],
      exports: [INGEST_CONFIG, Clock, PartsPublisher],
    };
  }
}
