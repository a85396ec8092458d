import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule, partsCheck, Store, storeChecks } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueModule, QueueProgress } from '@app/queue';
import { DiskSpace, Redis, RedisModule, rewriteCheck, serverCheck } from '@app/redis';
import { CallsConsumerModule } from './calls/calls-consumer.module.js';
import { DiskMonitor } from './pipeline/disk-monitor.js';
import { MaintenanceModule } from './maintenance/maintenance.module.js';
import { RecordsConsumerModule } from './records/records-consumer.module.js';
import { PresenceReport } from './presence-report.js';
import { SettingsModule } from './settings.module.js';

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
        SettingsModule.register(config.worker, logger),
        CallsConsumerModule,
        RecordsConsumerModule,
        MaintenanceModule.register(config.query.files),
        HealthModule.register({
          inject: [QueueProgress, Store, Redis, DiskSpace],
          useFactory: (progress: QueueProgress, store: Store, redis: Redis, disks: DiskSpace) => [
            ...queueChecks(progress, { ...config.health, reportsSkippedChunks: true }),
            serverCheck(redis),
            rewriteCheck(redis),
            ...storeChecks(store),
            partsCheck(store),
            disks.check(),
          ],
        }),
      ],
      providers: [DiskMonitor, PresenceReport],
    };
  }
}
