import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { RecordFact } from '@app/events';
import { Redis, WriteGuard } from '@app/redis';
import { ChunkQueue } from './chunk-queue.js';
import { RECORDS_QUEUE, RECORDS_STREAM } from './streams.js';

/** The queue of facts about records. A client waits for each of them. */
@Injectable()
export class RecordsQueue extends ChunkQueue<RecordFact> {
  constructor(
    redis: Redis,
    guard: WriteGuard,
    @InjectQueue(RECORDS_QUEUE) readonly queue: Queue,
  ) {
    super(redis, guard, RECORDS_STREAM, [queue]);
  }
}
