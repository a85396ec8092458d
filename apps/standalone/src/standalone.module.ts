import { Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { ClickHouseModule, partsCheck, Store, storeChecks } from '@app/clickhouse';
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
import { IngestModule } from '../../ingest/src/ingest.module.js';
import { QueryModule } from '../../query/src/query.module.js';

/** Ingest and query in one process on one port. */
@Module({})
export class StandaloneModule implements OnApplicationBootstrap {
  constructor(private readonly redis: Redis) {}

  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: StandaloneModule,
      imports: [
        RedisModule.register(config.redis, 'producer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'standalone'),
        AuthModule.register({ ...config.auth, makesFirstKey: true }),
        HealthModule.register({
          inject: [QueueProgress, QueueMemory, Store, Redis, WriteGuard, DiskSpace],
          useFactory: (
            progress: QueueProgress,
            memory: QueueMemory,
            store: Store,
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
            ...storeChecks(store),
            partsCheck(store),
          ],
        }),
        IngestModule.register(config.ingest),
        QueryModule.register(config.query),
      ],
    };
  }

  /** Waits for Redis, because clients may send as soon as standalone prints `ready`. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve) => this.redis.once('ready', resolve));
  }
}
