import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule, Store, storeChecks } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueModule, QueueProgress } from '@app/queue';
import { RedisModule } from '@app/redis';
import { CallLog } from './calls/call-log.writer.js';
import { CallsFlush } from './calls/calls.flush.js';
import { FlushOutcome } from './calls/flush-outcome.js';
import { CallClaims } from './calls/call-claims.js';
import { CallsAwaitingStart } from './calls/calls-awaiting-start.js';
import { CallSnapshots } from './calls/call-snapshots.js';
import { FlushPriority } from './calls/flush-priority.js';
import { BulkLaneProcessor, FastLaneProcessor } from './calls/calls.processor.js';
import { CallsStream } from './calls/calls.stream.js';
import { CallsWriter } from './calls/calls.writer.js';
import { CostsAtWrite } from './costs/costs-at-write.js';
import { PackagedPrices } from './costs/packaged-prices.js';
import { PriceBookWriter } from './costs/price-book.writer.js';
import { StalePrices } from './costs/stale-prices.js';
import { DeadLetters } from './pipeline/dead-letters.writer.js';
import { MaintenanceModule } from './maintenance/maintenance.module.js';
import { RecordsStream } from './records/records.stream.js';
import { RecordsProcessor } from './records/records.processor.js';
import { RecordsWriter } from './records/records.writer.js';
import { PartsGauge } from './pipeline/parts-gauge.js';
import { FlushReceipts } from './pipeline/flush-receipts.writer.js';
import { LOGGER, WORKER_CONFIG } from './tokens.js';

/** Facts → rows. Serves no client; only its health is served. */
@Module({})
export class WorkerModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'worker'),
        MaintenanceModule.register(config.clickhouse, logger),
        HealthModule.register({
          inject: [QueueProgress, Store],
          useFactory: (progress: QueueProgress, store: Store) => [
            ...queueChecks(progress, { ...config.health, seesLeft: true }),
            ...storeChecks(store),
          ],
        }),
      ],
      providers: [
        { provide: WORKER_CONFIG, useValue: config.worker },
        { provide: LOGGER, useValue: logger },
        CallLog,
        CallsWriter,
        CostsAtWrite,
        CallsFlush,
        CallClaims,
        CallsAwaitingStart,
        CallSnapshots,
        FlushOutcome,
        FlushReceipts,
        PartsGauge,
        { provide: FlushPriority, useValue: new FlushPriority() },
        CallsStream,
        FastLaneProcessor,
        BulkLaneProcessor,
        DeadLetters,
        PackagedPrices,
        PriceBookWriter,
        StalePrices,
        RecordsWriter,
        RecordsStream,
        RecordsProcessor,
      ],
    };
  }
}
