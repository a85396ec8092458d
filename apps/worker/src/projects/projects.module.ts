import { Module } from '@nestjs/common';
import { FeedbackExpiry } from '../feedback/feedback-expiry.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { RewriteModule } from '../repair/rewrite.module.js';
import { Expiry } from './expiry.js';

@Module({
  imports: [PipelineModule, RewriteModule],
  providers: [Expiry, FeedbackExpiry],
  exports: [Expiry],
})
export class ProjectsModule {}
