import { Inject } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { Logger } from '@app/observability';
import { RECORDS_QUEUE } from '@app/queue';
import { CHUNK_QUEUE, ChunkProcessor } from '../pipeline/chunk.processor.js';
import { LOGGER } from '../tokens.js';
import { RecordChunks } from './record-chunks.js';

const JOBS_AT_ONCE = 64;

@Processor(RECORDS_QUEUE, CHUNK_QUEUE)
export class RecordsProcessor extends ChunkProcessor {
  constructor(chunks: RecordChunks, @Inject(LOGGER) logger: Logger) {
    super(chunks, JOBS_AT_ONCE, logger);
  }
}
