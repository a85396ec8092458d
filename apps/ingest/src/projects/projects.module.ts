import { Module } from '@nestjs/common';
import { ProjectsController } from './projects.controller.js';
import { RetentionController } from './retention.controller.js';

@Module({ controllers: [ProjectsController, RetentionController] })
export class ProjectsModule {}
