import { Inject } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { AnyRecordFact, Ordered } from '@app/events';
import type { Logger } from '@app/observability';
import { RECORDS_QUEUE } from '@app/queue';
import { CHUNK_WORKER, ChunkProcessor } from '../pipeline/chunk.processor.js';
import { ChunkPipeline } from '../pipeline/chunk-pipeline.js';
import type { FlushLimits } from '../pipeline/shared-flush.js';
import { LOGGER } from '../tokens.js';
import { RecordsStream } from './records.stream.js';

const CONCURRENCY = 64;

/** A client waits for each write, so flushes are frequent. Concurrent writes still share a flush. */
export const RECORDS_FLUSH: FlushLimits = {
  intervalMs: () => 10,
  maxIntervalMs: 0,
  maxBytes: 16 * 1024 * 1024,
  maxInFlight: 2,
};

@Processor(RECORDS_QUEUE, CHUNK_WORKER)
export class RecordsProcessor extends ChunkProcessor<Ordered<AnyRecordFact>> {
  constructor(stream: RecordsStream, @Inject(LOGGER) logger: Logger) {
    super(new ChunkPipeline(stream, RECORDS_FLUSH, logger), CONCURRENCY, logger);
  }
}
