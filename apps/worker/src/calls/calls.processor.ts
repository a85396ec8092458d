import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import type { WorkerConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { CALLS_QUEUES } from '@app/queue';
import { BULK_JOBS, FAST_JOBS, LOGGER, WORKER_CONFIG } from '../tokens.js';
import { ChunkJobs } from './chunk-jobs.js';

const LAST_BACKOFF_MS = 30_000;

const OPTIONS = {
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

/** What both lanes have in common. */
@Injectable()
abstract class LaneProcessor
  extends WorkerHost
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly settling = new Set<Promise<void>>();

  constructor(
    private readonly jobs: ChunkJobs,
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
    return this.jobs.store(job.id!);
  }

  /** After completion, never before: a job that is run again must find its payload. */
  @OnWorkerEvent('completed')
  onCompleted(job: Job): void {
    const settled = this.jobs.settle(job.id!).finally(() => this.settling.delete(settled));
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
    this.jobs.stop();
    await this.worker.close();
    await Promise.all(this.settling);
  }
}

@Processor(CALLS_QUEUES.fast, OPTIONS)
export class FastLaneProcessor extends LaneProcessor {
  constructor(
    @Inject(FAST_JOBS) jobs: ChunkJobs,
    @Inject(WORKER_CONFIG) { concurrency }: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(jobs, concurrency, logger);
  }
}

/** As many places as the fast lane: a flood is stored in few large flushes, which cost a third of many small ones. */
@Processor(CALLS_QUEUES.bulk, OPTIONS)
export class BulkLaneProcessor extends LaneProcessor {
  constructor(
    @Inject(BULK_JOBS) jobs: ChunkJobs,
    @Inject(WORKER_CONFIG) { concurrency }: WorkerConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(jobs, concurrency, logger);
  }
}
