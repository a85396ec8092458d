import { Inject } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import type { WorkerConfig } from '@app/config';
import type { Fact } from '@app/events';
import type { Logger } from '@app/observability';
import { CALLS_QUEUES } from '@app/queue';
import { PartsGauge } from '../pipeline/parts-gauge.js';
import { CHUNK_WORKER, ChunkProcessor } from '../pipeline/chunk.processor.js';
import { ChunkPipeline } from '../pipeline/chunk-pipeline.js';
import type { FlushLimits } from '../pipeline/shared-flush.js';
import { LOGGER, WORKER_CONFIG } from '../tokens.js';
import { CallsStream } from './calls.stream.js';

const FLUSHES_IN_FLIGHT = 2;
/** Readers wait for a flush and for the interval before it. */
const MAX_INTERVAL_MS = 400;

/** Each lane has its own flush, so that a backlog of one project fills only the flushes of the bulk lane. */
const flushLimits = (config: WorkerConfig, parts: PartsGauge): FlushLimits => ({
  intervalMs: () => config.flushIntervalMs * parts.slowdown,
  maxIntervalMs: MAX_INTERVAL_MS,
  maxBytes: config.flushMaxBytes,
  maxInFlight: FLUSHES_IN_FLIGHT,
});

@Processor(CALLS_QUEUES.fast, CHUNK_WORKER)
export class FastLaneProcessor extends ChunkProcessor<Fact> {
  constructor(
    { fast }: CallsStream,
    parts: PartsGauge,
    @Inject(WORKER_CONFIG) config: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    const pipeline = new ChunkPipeline(fast, flushLimits(config, parts), logger);
    super(pipeline, config.concurrency, logger);
  }
}

/** Has the same concurrency as the fast lane, because a few large flushes cost a third of many small ones. */
@Processor(CALLS_QUEUES.bulk, CHUNK_WORKER)
export class BulkLaneProcessor extends ChunkProcessor<Fact> {
  constructor(
    { bulk }: CallsStream,
    parts: PartsGauge,
    @Inject(WORKER_CONFIG) config: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    const pipeline = new ChunkPipeline(bulk, flushLimits(config, parts), logger);
    super(pipeline, config.concurrency, logger);
  }
}
