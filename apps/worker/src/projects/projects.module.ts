import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { Expiry } from './expiry.js';

@Module({
  imports: [PipelineModule],
  providers: [Expiry],
  exports: [Expiry],
})
export class ProjectsModule {}
