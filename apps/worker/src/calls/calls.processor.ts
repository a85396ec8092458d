import { Inject } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { WorkerConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { CALLS_QUEUES } from '@app/queue';
import { CHUNK_QUEUE, ChunkProcessor } from '../pipeline/chunk.processor.js';
import { BULK_JOBS, FAST_JOBS, LOGGER, WORKER_CONFIG } from '../tokens.js';
import type { CallChunks } from './call-chunks.js';

@Processor(CALLS_QUEUES.fast, CHUNK_QUEUE)
export class FastLaneProcessor extends ChunkProcessor {
  constructor(
    @Inject(FAST_JOBS) chunks: CallChunks,
    @Inject(WORKER_CONFIG) { concurrency }: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(chunks, concurrency, logger);
  }
}

/** As many places as the fast lane: a flood is stored in few large flushes, which cost a third of many small ones. */
@Processor(CALLS_QUEUES.bulk, CHUNK_QUEUE)
export class BulkLaneProcessor extends ChunkProcessor {
  constructor(
    @Inject(BULK_JOBS) chunks: CallChunks,
    @Inject(WORKER_CONFIG) { concurrency }: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(chunks, concurrency, logger);
  }
}
