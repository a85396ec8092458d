import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { ClickHouseModule, Removal, Store, storeChecks } from '@app/clickhouse';
import type { Config, WorkerConfig } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueModule, QueueProgress, Settlement } from '@app/queue';
import { AuditCarrier } from './audit/audit-carrier.js';
import { CallLog } from './calls/call-log.writer.js';
import { CallsFlush } from './calls/calls.flush.js';
import { FlushRest } from './calls/flush-rest.js';
import { CallSnapshots } from './calls/call-snapshots.js';
import { RightOfWay } from './calls/right-of-way.js';
import { BulkLaneProcessor, FastLaneProcessor } from './calls/calls.processor.js';
import { CallChunks, type CallChunksParts } from './calls/call-chunks.js';
import { CallsWriter } from './calls/calls.writer.js';
import { CostsAtWrite } from './costs/costs-at-write.js';
import { PackagedPrices } from './costs/packaged-prices.js';
import { PriceBookWriter } from './costs/price-book.writer.js';
import { Repricing } from './costs/repricing.js';
import { RepricingJob } from './costs/repricing-job.js';
import { DeadLetters } from './dead-letters.writer.js';
import { Reconciler } from './reconciler.js';
import { RecordsFlush } from './records/records.flush.js';
import { RecordChunks } from './records/record-chunks.js';
import { RecordsProcessor } from './records/records.processor.js';
import { RecordsWriter } from './records/records.writer.js';
import { Expiry } from './projects/expiry.js';
import { Nightly } from './projects/nightly.js';
import { PartsGauge } from './parts-gauge.js';
import { ReceiptsRemoval } from './receipts.removal.js';
import { Receipts } from './receipts.writer.js';
import { CallRefolder } from './repair/call-refolder.js';
import { CallSweeper } from './repair/call-sweeper.js';
import { LedgerChecking } from './repair/ledger-checking.js';
import { LedgerReader } from './repair/ledger.reader.js';
import { Sweeping } from './repair/sweeping.js';
import { BULK_JOBS, FAST_JOBS, LOGGER, WORKER_CONFIG } from './tokens.js';

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
        CallSnapshots,
        FlushRest,
        Receipts,
        PartsGauge,
        { provide: RightOfWay, useValue: new RightOfWay() },
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
        RecordsWriter,
        RecordsFlush,
        RecordChunks,
        RecordsProcessor,
        CallRefolder,
        CallSweeper,
        LedgerReader,
        LedgerChecking,
        Sweeping,
        AuditCarrier,
        {
          provide: Removal,
          inject: [Store],
          useFactory: (store: Store) => new Removal(store, config.clickhouse),
        },
        ReceiptsRemoval,
        Expiry,
        Nightly,
      ],
    };
  }
}

/** What the flushes of a lane do while another is under way. */
type Lane = (calls: CallsFlush, way: RightOfWay) => CallChunksParts['write'];
const first: Lane = (calls, way) => (facts) => way.take(() => calls.write(facts));
const givingWay: Lane = (calls, way) => (facts) => calls.write(facts, () => way.give());

function callChunks(
  provide: symbol,
  lane: Lane,
  config: WorkerConfig,
  logger: Logger,
): FactoryProvider<CallChunks> {
  return {
    provide,
    inject: [CallsFlush, RightOfWay, DeadLetters, Settlement, PartsGauge],
    useFactory: (
      calls: CallsFlush,
      way: RightOfWay,
      deadLetters: DeadLetters,
      settlement: Settlement,
      parts: PartsGauge,
    ) =>
      new CallChunks({ write: lane(calls, way), deadLetters, settlement, parts, config, logger }),
  };
}
