import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { CallsConsumerModule } from './calls/calls-consumer.module.js';
import { CostsModule } from './costs/costs.module.js';
import { PipelineModule } from './pipeline/pipeline.module.js';
import { RecordsConsumerModule } from './records/records-consumer.module.js';
import { RepairModule } from './repair/repair.module.js';
import { LogCut } from './restore/log-cut.js';
import { QueueDrain } from './restore/queue-drain.js';
import { RestoredState } from './restore/restored-state.js';
import { SettingsModule } from './settings.module.js';

export { LogCut } from './restore/log-cut.js';
export { QueueDrain } from './restore/queue-drain.js';
export { RestoredState } from './restore/restored-state.js';

/** The part of the worker that a restore uses: it consumes the restored queue, and does no maintenance. */
@Module({})
export class RestoreModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: RestoreModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'restore'),
        SettingsModule.register(config.worker, logger),
        CallsConsumerModule,
        CostsModule,
        PipelineModule,
        RecordsConsumerModule,
        RepairModule,
      ],
      providers: [LogCut, QueueDrain, RestoredState],
    };
  }
}
