import { Module, type DynamicModule } from '@nestjs/common';
import { blobsProvider } from '@app/blobs';
import { ClickHouseModule, Removal, Store } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { BucketFiles } from './erasure/bucket-files.js';
import { Erasure } from './erasure/erasure.js';
import { ReceiptsRemoval } from './pipeline/receipts.removal.js';
import { Expiry } from './projects/expiry.js';
import { RecordLog } from './records/record-log.reader.js';
import { RecordsRebuild } from './repair/records-rebuild.js';
import { RecordsWriter } from './records/records.writer.js';
import { ShadowRebuild } from './repair/shadow-rebuild.js';

export { Erasure, type Erased } from './erasure/erasure.js';
export { type ErasureTarget } from './erasure/erasure-target.js';
export { Expiry } from './projects/expiry.js';

/** The commands that erase data permanently. */
@Module({})
export class ErasureModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: ErasureModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
      ],
      providers: [
        {
          provide: Removal,
          inject: [Store],
          useFactory: (store: Store) => new Removal(store, config.clickhouse),
        },
        RecordLog,
        RecordsWriter,
        RecordsRebuild,
        ShadowRebuild,
        blobsProvider(config.query.files),
        BucketFiles,
        Erasure,
        ReceiptsRemoval,
        Expiry,
      ],
      exports: [Erasure, Expiry],
    };
  }
}
