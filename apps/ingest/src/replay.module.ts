import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { DeadLetterReplay } from './calls/dead-letter-replay.js';
import { CallIntake } from './calls/call-intake.js';
import { Redaction } from './calls/redaction.js';
import { Clock } from './clock.js';

export { DeadLetterReplay, type ReplayedDeadLetter } from './calls/dead-letter-replay.js';

/** Ingest's way in without its doors: what an operator sends again by hand. */
@Module({})
export class ReplayModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: ReplayModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
      ],
      providers: [
        CallIntake,
        Clock,
        DeadLetterReplay,
        { provide: Redaction, useFactory: () => new Redaction(config.ingest.redactKeys) },
      ],
      exports: [DeadLetterReplay],
    };
  }
}
