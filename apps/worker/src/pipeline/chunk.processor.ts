import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@app/observability';
import type { ChunkPipeline } from './chunk-pipeline.js';

const LAST_BACKOFF_MS = 30_000;

/** How every queue of chunks is worked on. */
export const CHUNK_WORKER = {
  // A dead worker's jobs are found and run again within seconds, by whoever is alive.
  lockDuration: 10_000,
  stalledInterval: 5000,
  // A job that stalled is run again, however often: every write may be repeated.
  maxStalledCount: 1_000_000_000,
  settings: {
    backoffStrategy: (attempts: number) =>
      Math.min(250 * 2 ** Math.min(attempts, 10), LAST_BACKOFF_MS),
  },
};

/** The worker of a queue of chunks: stores each, and settles it once its job is done. */
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

  /** Done only when ClickHouse has stored the chunk's facts. */
  process(job: Job): Promise<void> {
    return this.pipeline.store(job.id!);
  }

  /** After completion, never before: a job that is run again must find its payload. */
  @OnWorkerEvent('completed')
  onCompleted(job: Job): void {
    const settled = this.pipeline.settle(job.id!).finally(() => this.settling.delete(settled));
    this.settling.add(settled);
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    this.logger.warn('A chunk goes back to the queue.', {
      chunkId: job?.id,
      error: error.message.slice(0, 300),
    });
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.debug('The queue reports an error.', { error: error.message });
  }

  /** Finishes the jobs it holds, unless the store is away: those go back to the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    this.pipeline.stop();
    await this.worker.close();
    await Promise.all(this.settling);
  }
}
