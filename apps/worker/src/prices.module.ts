import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { PriceBookWriter } from './costs/price-book.writer.js';
import { Repricing } from './costs/repricing.js';
import { StalePrices } from './costs/stale-prices.js';

export { PriceBookWriter } from './costs/price-book.writer.js';
export { Repricing } from './costs/repricing.js';
export { StalePrices } from './costs/stale-prices.js';

/** The part of the worker that the CLI needs to manage prices. */
@Module({})
export class PricesModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: PricesModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
      ],
      providers: [PriceBookWriter, Repricing, StalePrices],
      exports: [PriceBookWriter, Repricing, StalePrices],
    };
  }
}
