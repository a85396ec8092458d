import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { ErasedRows } from './erased-rows.js';
import { RecentErasures } from './recent-erasures.js';

/** What an erasure and the job after it share. */
@Module({
  imports: [PipelineModule],
  providers: [ErasedRows, RecentErasures],
  exports: [ErasedRows, RecentErasures],
})
export class ErasedRowsModule {}
