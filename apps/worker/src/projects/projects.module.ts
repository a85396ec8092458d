import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { RewriteModule } from '../repair/rewrite.module.js';
import { Expiry } from './expiry.js';

@Module({
  imports: [PipelineModule, RewriteModule],
  providers: [Expiry],
  exports: [Expiry],
})
export class ProjectsModule {}
