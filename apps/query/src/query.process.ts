import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { ClickHouseModule, Store, storeChecks } from '@app/clickhouse';
import type { Config } from '@app/config';
import { HealthModule } from '@app/http';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { QueryModule } from './query.module.js';

/** Query as a process of its own. Without Redis it still serves reads, but does not wait for the caller's own writes. */
@Module({})
export class QueryProcess {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: QueryProcess,
      imports: [
        RedisModule.register(config.redis, 'producer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'query'),
        AuthModule.register(config.auth),
        HealthModule.register({ inject: [Store], useFactory: storeChecks }),
        QueryModule.register(config.query),
      ],
    };
  }
}
