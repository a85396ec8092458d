import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { queueChecks, QueueMemory, QueueModule, QueueProgress } from '@app/queue';
import {
  DiskSpace,
  durabilityCheck,
  Redis,
  RedisModule,
  rewriteCheck,
  WriteGuard,
} from '@app/redis';
import { IngestModule } from './ingest.module.js';

/** Ingest as a process of its own. */
@Module({})
export class IngestProcess {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: IngestProcess,
      imports: [
        RedisModule.register(config.redis, 'producer', logger),
        QueueModule,
        // For writes that must read first. Ingest accepts calls without ClickHouse.
        ClickHouseModule.register(config.clickhouse, 'ingest'),
        AuthModule.register(config.auth),
        HealthModule.register({
          inject: [QueueProgress, QueueMemory, Redis, WriteGuard, DiskSpace],
          useFactory: (
            progress: QueueProgress,
            memory: QueueMemory,
            redis: Redis,
            guard: WriteGuard,
            disks: DiskSpace,
          ) => [
            ...queueChecks(progress, config.health),
            memory.check(),
            durabilityCheck(redis, config.redis, logger),
            rewriteCheck(redis),
            guard.writeCheck(),
            disks.check(),
          ],
        }),
        IngestModule.register(config.ingest),
      ],
    };
  }
}
