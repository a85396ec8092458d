import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { NewFact } from '@app/events';
import { Redis, WriteGuard } from '@app/redis';
import { ChunkQueue } from './chunk-queue.js';
import { CALLS_QUEUES, CALLS_STREAM, type Lane } from './streams.js';

/** The queue of facts about calls, with two lanes. */
@Injectable()
export class CallsQueue extends ChunkQueue<NewFact> {
  readonly lanes: Readonly<Record<Lane, Queue>>;

  constructor(
    redis: Redis,
    guard: WriteGuard,
    @InjectQueue(CALLS_QUEUES.fast) fast: Queue,
    @InjectQueue(CALLS_QUEUES.bulk) bulk: Queue,
  ) {
    super(redis, guard, CALLS_STREAM, [fast, bulk]);
    this.lanes = { fast, bulk };
  }
}
