import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { ThreadsController } from './threads.controller.js';

@Module({ imports: [ProjectsModule], controllers: [ThreadsController] })
export class ThreadsModule {}
