import { Module } from '@nestjs/common';
import { ProjectsController } from './projects.controller.js';
import { ProjectsReader } from './projects.reader.js';
import { RetentionController } from './retention.controller.js';
import { RetentionReader } from './retention.reader.js';

@Module({
  controllers: [ProjectsController, RetentionController],
  providers: [ProjectsReader, RetentionReader],
  exports: [RetentionReader],
})
export class ProjectsModule {}
