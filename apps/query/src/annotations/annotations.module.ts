import { Module } from '@nestjs/common';
import { AnnotationQueuesController } from './annotation-queues.controller.js';
import { AnnotationQueuesReader } from './annotation-queues.reader.js';

@Module({
  controllers: [AnnotationQueuesController],
  providers: [AnnotationQueuesReader],
})
export class AnnotationsModule {}
