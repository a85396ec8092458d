import { Module, type DynamicModule } from '@nestjs/common';
import { ClickHouseModule } from '@app/clickhouse';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { QueueModule } from '@app/queue';
import { RedisModule } from '@app/redis';
import { CallLog } from './calls/call-log.writer.js';
import { CallsWriter } from './calls/calls.writer.js';
import { CostsAtWrite } from './costs/costs-at-write.js';
import { DeadLetters } from './pipeline/dead-letters.writer.js';
import { CallRefolder } from './repair/call-refolder.js';
import { CallsRebuild } from './repair/calls-rebuild.js';
import { CallSweeper } from './repair/call-sweeper.js';
import { LedgerReader } from './repair/ledger.reader.js';
import { RecordLog } from './records/record-log.reader.js';
import { RecordsRebuild } from './repair/records-rebuild.js';
import { RecordsWriter } from './records/records.writer.js';
import { ShadowRebuild } from './repair/shadow-rebuild.js';

export { CallRefolder } from './repair/call-refolder.js';
export { CallsRebuild, type Checksums } from './repair/calls-rebuild.js';
export { LedgerReader, totalOf, type LedgerLine } from './repair/ledger.reader.js';
export { CallSweeper } from './repair/call-sweeper.js';
export { RecordsRebuild } from './repair/records-rebuild.js';

/** The part of the worker that the CLI needs for repairs. */
@Module({})
export class RepairModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return {
      module: RepairModule,
      imports: [
        RedisModule.register(config.redis, 'consumer', logger),
        QueueModule,
        ClickHouseModule.register(config.clickhouse, 'cli'),
      ],
      providers: [
        CallLog,
        CallsWriter,
        CostsAtWrite,
        DeadLetters,
        CallRefolder,
        CallSweeper,
        CallsRebuild,
        LedgerReader,
        RecordLog,
        RecordsRebuild,
        RecordsWriter,
        ShadowRebuild,
      ],
      exports: [CallRefolder, CallSweeper, CallsRebuild, LedgerReader, RecordsRebuild],
    };
  }
}
