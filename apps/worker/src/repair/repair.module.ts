import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { RecordsModule } from '../records/records.module.js';
import { CallRefolder } from './call-refolder.js';
import { CallSweeper } from './call-sweeper.js';
import { CallsRebuild } from './calls-rebuild.js';
import { LedgerReader } from './ledger.reader.js';
import { RecordsRebuild } from './records-rebuild.js';
import { RewriteModule } from './rewrite.module.js';
import { SettledLedgers } from './settled-ledgers.js';
import { ShadowRebuild } from './shadow-rebuild.js';

@Module({
  imports: [CallsModule, PipelineModule, RecordsModule, RewriteModule],
  providers: [
    CallRefolder,
    CallSweeper,
    CallsRebuild,
    LedgerReader,
    RecordsRebuild,
    SettledLedgers,
    ShadowRebuild,
  ],
  exports: [CallRefolder, CallSweeper, CallsRebuild, LedgerReader, RecordsRebuild, SettledLedgers],
})
export class RepairModule {}
