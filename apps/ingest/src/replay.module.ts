import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { CallsModule } from './calls/calls.module.js';
import { DeadLetterReplay } from './calls/dead-letter-replay.js';
import { WriteModule } from './write.module.js';

export { DeadLetterReplay, type ReplayedDeadLetter } from './calls/dead-letter-replay.js';

/** Ingest without HTTP: for the dead letters that an operator replays. */
@Module({})
export class ReplayModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: ReplayModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
        WriteModule.register(config.ingest),
        CallsModule,
      ],
      providers: [DeadLetterReplay],
      exports: [DeadLetterReplay],
    };
  }
}
