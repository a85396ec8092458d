import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { ClickHouseModule, Removal, Store, storeChecks } from '@app/clickhouse';
import type { Config, WorkerConfig } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { CallsQueue, queueChecks, QueueModule, QueueProgress } from '@app/queue';
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
import { CallChunks, type CallChunksParts } from './calls/call-chunks.js';
import { CallsWriter } from './calls/calls.writer.js';
import { CostsAtWrite } from './costs/costs-at-write.js';
import { PackagedPrices } from './costs/packaged-prices.js';
import { PriceBookWriter } from './costs/price-book.writer.js';
import { Repricing } from './costs/repricing.js';
import { RepricingJob } from './costs/repricing-job.js';
import { StalePrices } from './costs/stale-prices.js';
import { DeadLetters } from './dead-letters.writer.js';
import { Reconciler } from './pipeline/reconciler.js';
import { RecordsFlush } from './records/records.flush.js';
import { RecordChunks } from './records/record-chunks.js';
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
import { BULK_JOBS, FAST_JOBS, LOGGER, WORKER_CONFIG } from './tokens.js';

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
        callChunks(FAST_JOBS, first, config.worker, logger),
        callChunks(BULK_JOBS, givingWay, config.worker, logger),
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
        RecordsFlush,
        RecordChunks,
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

/** What the flushes of a lane do while another is under way. */
type Lane = (calls: CallsFlush, way: FlushPriority) => CallChunksParts['write'];
const first: Lane = (calls, way) => (facts) => way.runFirst(() => calls.write(facts));
const givingWay: Lane = (calls, way) => (facts) => calls.write(facts, () => way.yieldToFast());

function callChunks(
  provide: symbol,
  lane: Lane,
  config: WorkerConfig,
  logger: Logger,
): FactoryProvider<CallChunks> {
  return {
    provide,
    inject: [CallsFlush, FlushPriority, DeadLetters, CallsQueue, PartsGauge],
    useFactory: (
      calls: CallsFlush,
      way: FlushPriority,
      deadLetters: DeadLetters,
      queue: CallsQueue,
      parts: PartsGauge,
    ) => new CallChunks({ write: lane(calls, way), deadLetters, queue, parts, config, logger }),
  };
}
