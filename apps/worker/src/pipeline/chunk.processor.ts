import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { startJobSpans, type Logger } from '@app/observability';
import type { ChunkJob } from '@app/queue';
import { ChunkFailedError } from './chunk-failed-error.js';
import type { ChunkPipeline } from './chunk-pipeline.js';

const MAX_BACKOFF_MS = 30_000;

/** BullMQ worker options of every queue of chunks. */
export const CHUNK_WORKER = {
  // Another worker runs the jobs of a dead worker again within seconds.
  lockDuration: 10_000,
  stalledInterval: 5000,
  // A stalled job is run again without limit, because every write may be repeated.
  maxStalledCount: 1_000_000_000,
  settings: {
    backoffStrategy: (attempts: number) =>
      Math.min(250 * 2 ** Math.min(attempts, 10), MAX_BACKOFF_MS),
  },
};

/** Processes a queue of chunks: stores the facts of each chunk, and settles the chunk once its job is completed. */
@Injectable()
export abstract class ChunkProcessor<Fact>
  extends WorkerHost
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly settling = new Set<Promise<void>>();

  constructor(
    private readonly pipeline: ChunkPipeline<Fact>,
    private readonly concurrency: number,
    private readonly logger: Logger,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.concurrency;
  }

  /** Resolves when ClickHouse has stored the chunk's facts. */
  async process({ id, data, timestamp }: Job<ChunkJob>): Promise<void> {
    const spans = startJobSpans('store chunk', data.traceparents);
    for (const span of spans)
      span.set('heddle.chunk_id', id!).set('heddle.queue_wait_ms', Date.now() - timestamp);
    try {
      await this.pipeline.store(id!, spans);
    } catch (error) {
      for (const span of spans) span.fail(error);
      throw error;
    } finally {
      for (const span of spans) span.end();
    }
  }

  /** Settling removes the payload, so it must not precede completion: a job that is run again needs its payload. */
  @OnWorkerEvent('completed')
  onCompleted(job: Job): void {
    const settled = this.pipeline.settle(job.id!).finally(() => this.settling.delete(settled));
    this.settling.add(settled);
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    this.logger.warn('A chunk failed and returned to the queue.', {
      chunkId: job?.id,
      ...(error instanceof ChunkFailedError && { requestIds: error.requestIds }),
      error: error.message.slice(0, 300),
    });
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.debug('BullMQ worker error.', { error: error.message });
  }

  /** Finishes the active jobs. While ClickHouse is unavailable they return to the queue instead. */
  async beforeApplicationShutdown(): Promise<void> {
    this.pipeline.stop();
    await this.worker.close();
    await Promise.all(this.settling);
  }
}
