import { Module, type DynamicModule } from '@nestjs/common';
import type { FilesConfig } from '@app/config';
import { MaintenanceQueueModule, MaintenanceRuns } from '@app/queue';
import { AlertsModule } from '../alerts/alerts.module.js';
import { CostsModule } from '../costs/costs.module.js';
import { PackagedPrices } from '../costs/packaged-prices.js';
import { ErasedRowsModule } from '../erasure/erased-rows.module.js';
import { ErasureModule } from '../erasure/erasure.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RepairModule } from '../repair/repair.module.js';
import { RewriteModule } from '../repair/rewrite.module.js';
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
  inject: [MaintenanceRuns, ...JOBS],
  useFactory: (runs: MaintenanceRuns, ...instances: MaintenanceJob[]): ScheduledJob[] =>
    MAINTENANCE_JOBS.map(({ name, everyMs }, i) => ({
      name,
      everyMs,
      run: (signal) => runs.record(name, signal, () => instances[i]!.run(signal)),
    })),
};

/** The work of the workers at startup and in periods. Only the worker process imports it. */
@Module({})
export class MaintenanceModule {
  static register(files: FilesConfig): DynamicModule {
    return {
      module: MaintenanceModule,
      imports: [
        MaintenanceQueueModule,
        AlertsModule,
        CostsModule,
        ErasedRowsModule,
        ErasureModule.register(files),
        ProjectsModule,
        RepairModule,
        RewriteModule,
      ],
      providers: [
        ...JOBS,
        scheduledJobs,
        MaintenanceProcessor,
        MaintenanceSchedule,
        PackagedPrices,
      ],
    };
  }
}
