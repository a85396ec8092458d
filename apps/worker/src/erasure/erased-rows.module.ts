import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { ErasedRows } from './erased-rows.js';
import { LateRecords } from './late-records.js';
import { RecentErasures } from './recent-erasures.js';

/** What an erasure and the job after it share. */
@Module({
  imports: [PipelineModule],
  providers: [ErasedRows, LateRecords, RecentErasures],
  exports: [ErasedRows, LateRecords, RecentErasures],
})
export class ErasedRowsModule {}
