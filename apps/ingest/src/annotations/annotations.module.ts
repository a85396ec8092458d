import { Module } from '@nestjs/common';
import { ItemProgress } from './item-progress.js';
import { QueueItemsController } from './queue-items.controller.js';
import { QueuesController } from './queues.controller.js';
import { QueuesReader } from './queues.reader.js';

@Module({
  controllers: [QueuesController, QueueItemsController],
  providers: [ItemProgress, QueuesReader],
  exports: [QueuesReader],
})
export class AnnotationsModule {}
