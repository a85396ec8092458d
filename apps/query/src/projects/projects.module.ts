import { Module } from '@nestjs/common';
import { ProjectsController } from './projects.controller.js';
import { ProjectListReader } from './project-list.reader.js';
import { ProjectsReader } from './projects.reader.js';
import { RetentionController } from './retention.controller.js';
import { RetentionReader } from './retention.reader.js';

@Module({
  controllers: [ProjectsController, RetentionController],
  providers: [ProjectListReader, ProjectsReader, RetentionReader],
  exports: [RetentionReader],
})
export class ProjectsModule {}
