import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { WriteModule } from './write.module.js';

export { DeadLetterReplay, type ReplayOutcome } from './dead-letters/dead-letter-replay.js';
export {
  DeadLettersReader,
  type DeadLetterFilter,
  type StoredDeadLetter,
} from './dead-letters/dead-letters.reader.js';

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
        DeadLettersModule,
      ],
      exports: [DeadLettersModule],
    };
  }
}
