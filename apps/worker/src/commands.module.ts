import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { CostsModule } from './costs/costs.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { RepairModule } from './repair/repair.module.js';
import { RewriteModule } from './repair/rewrite.module.js';

export { PriceBookWriter } from './costs/price-book.writer.js';
export { Repricing } from './costs/repricing.js';
export { DiskCopies } from './erasure/disk-copies.js';
export { Erasure, type Erased } from './erasure/erasure.js';
export { type ErasureTarget } from './erasure/erasure-target.js';
export { Expiry } from './projects/expiry.js';
export { CallRefolder } from './repair/call-refolder.js';
export { CallsRebuild, type Checksums } from './repair/calls-rebuild.js';
export { CallSweeper } from './repair/call-sweeper.js';
export { LedgerReader, totalOf, type LedgerLine } from './repair/ledger.reader.js';
export { RecordsRebuild } from './repair/records-rebuild.js';
export { RewriteLock } from './repair/rewrite-lock.js';

/** The part of the worker that the CLI uses. It has no processors, so that a command never consumes a job. */
@Module({})
export class CommandsModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: CommandsModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
        CostsModule,
        ErasureModule.register(config.query.files),
        ProjectsModule,
        RepairModule,
        RewriteModule,
      ],
    };
  }
}
