import { Module, type DynamicModule } from '@nestjs/common';
import { Removal, Store } from '@app/clickhouse';
import type { ClickHouseConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { MaintenanceQueueModule } from '@app/queue';
import { CallLog } from '../calls/call-log.writer.js';
import { CallsWriter } from '../calls/calls.writer.js';
import { CostsAtWrite } from '../costs/costs-at-write.js';
import { Repricing } from '../costs/repricing.js';
import { StalePrices } from '../costs/stale-prices.js';
import { DeadLetters } from '../pipeline/dead-letters.writer.js';
import { Expiry } from '../projects/expiry.js';
import { ReceiptsRemoval } from '../pipeline/receipts.removal.js';
import { CallRefolder } from '../repair/call-refolder.js';
import { CallSweeper } from '../repair/call-sweeper.js';
import { LedgerReader } from '../repair/ledger.reader.js';
import { LOGGER } from '../tokens.js';
import {
  MAINTENANCE_JOBS,
  SCHEDULED_JOBS,
  type MaintenanceJob,
  type ScheduledJob,
} from './maintenance-jobs.js';
import { MaintenanceProcessor } from './maintenance.processor.js';
import { MaintenanceSchedule } from './maintenance-schedule.js';

const JOBS = MAINTENANCE_JOBS.map(({ job }) => job);

/** Joins each row of the table with its instance, so that a job is named in the table only. */
const scheduledJobs = {
  provide: SCHEDULED_JOBS,
  inject: JOBS,
  useFactory: (...instances: MaintenanceJob[]): ScheduledJob[] =>
    MAINTENANCE_JOBS.map(({ name, everyMs }, i) => ({
      name,
      everyMs,
      run: (signal) => instances[i]!.run(signal),
    })),
};

/** The periodic jobs of the workers. Needs Redis, the queue and ClickHouse, which are global. */
@Module({})
export class MaintenanceModule {
  static register(config: ClickHouseConfig, logger: Logger): DynamicModule {
    return {
      module: MaintenanceModule,
      imports: [MaintenanceQueueModule],
      providers: [
        { provide: LOGGER, useValue: logger },
        CallLog,
        CallsWriter,
        CostsAtWrite,
        DeadLetters,
        CallRefolder,
        CallSweeper,
        LedgerReader,
        Repricing,
        StalePrices,
        {
          provide: Removal,
          inject: [Store],
          useFactory: (store: Store) => new Removal(store, config),
        },
        ReceiptsRemoval,
        Expiry,
        ...JOBS,
        scheduledJobs,
        MaintenanceProcessor,
        MaintenanceSchedule,
      ],
    };
  }
}
