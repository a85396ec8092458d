import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule, Store, storeChecks } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueModule, QueueProgress } from '@app/queue';
import { CallLog } from './calls/call-log.writer.js';
import { CallsFlush } from './calls/calls.flush.js';
import { CallsProcessor } from './calls/calls.processor.js';
import { CallsWriter } from './calls/calls.writer.js';
import { DeadLetters } from './dead-letters.writer.js';
import { Reconciler } from './reconciler.js';
import { RecordsReconciler } from './records/records-reconciler.js';
import { RecordsFlush } from './records/records.flush.js';
import { RecordsProcessor } from './records/records.processor.js';
import { RecordsWriter } from './records/records.writer.js';
import { LOGGER, WORKER_CONFIG } from './tokens.js';

/** Facts → rows. Serves nobody but those who watch its health. */
@Module({})
export class WorkerModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        QueueModule.register(config.redis, 'consumer', logger),
        ClickHouseModule.register(config.clickhouse, 'worker'),
        HealthModule.register({
          inject: [QueueProgress, Store],
          useFactory: (progress: QueueProgress, store: Store) => [
            ...queueChecks(progress, config.health),
            ...storeChecks(store),
          ],
        }),
      ],
      providers: [
        { provide: WORKER_CONFIG, useValue: config.worker },
        { provide: LOGGER, useValue: logger },
        CallLog,
        CallsWriter,
        CallsFlush,
        CallsProcessor,
        DeadLetters,
        Reconciler,
        RecordsWriter,
        RecordsFlush,
        RecordsProcessor,
        RecordsReconciler,
      ],
    };
  }
}
