import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule, Removal, Store, storeChecks } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueModule, QueueProgress } from '@app/queue';
import { RedisModule } from '@app/redis';
import { AuditCarrier } from './audit/audit-carrier.js';
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
import { Repricing } from './costs/repricing.js';
import { RepricingJob } from './costs/repricing-job.js';
import { StalePrices } from './costs/stale-prices.js';
import { DeadLetters } from './dead-letters.writer.js';
import { Reconciler } from './pipeline/reconciler.js';
import { RecordsStream } from './records/records.stream.js';
import { RecordsProcessor } from './records/records.processor.js';
import { RecordsWriter } from './records/records.writer.js';
import { Expiry } from './projects/expiry.js';
import { RetentionJob } from './projects/retention-job.js';
import { PartsGauge } from './parts-gauge.js';
import { ReceiptsRemoval } from './receipts.removal.js';
import { FlushReceipts } from './flush-receipts.writer.js';
import { CallRefolder } from './repair/call-refolder.js';
import { CallSweeper } from './repair/call-sweeper.js';
import { LedgerCheckJob } from './repair/ledger-check-job.js';
import { LedgerReader } from './repair/ledger.reader.js';
import { RepairJob } from './repair/repair-job.js';
import { LOGGER, WORKER_CONFIG } from './tokens.js';

/** Facts → rows. Serves nobody but those who watch its health. */
@Module({})
export class WorkerModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'worker'),
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
        Reconciler,
        PackagedPrices,
        PriceBookWriter,
        Repricing,
        RepricingJob,
        StalePrices,
        RecordsWriter,
        RecordsStream,
        RecordsProcessor,
        CallRefolder,
        CallSweeper,
        LedgerReader,
        LedgerCheckJob,
        RepairJob,
        AuditCarrier,
        {
          provide: Removal,
          inject: [Store],
          useFactory: (store: Store) => new Removal(store, config.clickhouse),
        },
        ReceiptsRemoval,
        Expiry,
        RetentionJob,
      ],
    };
  }
}
