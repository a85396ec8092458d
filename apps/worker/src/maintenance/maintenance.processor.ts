import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import type { Logger } from '@app/observability';
import { MAINTENANCE_QUEUE } from '@app/queue';
import { Redis, tryLock } from '@app/redis';
import { LOGGER } from '../tokens.js';
import { SCHEDULED_JOBS, type ScheduledJob } from './maintenance-jobs.js';
import { countFailure, countSuccess, initialiseMetrics } from './maintenance-metrics.js';

/** Well within the time that a supervisor allows for a shutdown. */
const SHUTDOWN_GRACE_MS = 5000;

/** Runs periodic jobs, each name one at a time over all workers. */
@Processor(MAINTENANCE_QUEUE)
export class MaintenanceProcessor
  extends WorkerHost
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly shutdown = new AbortController();
  private readonly running = new Set<Promise<void>>();

  constructor(
    @Inject(SCHEDULED_JOBS) private readonly jobs: readonly ScheduledJob[],
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** One slot for each name, so that a long job delays no other. */
  onApplicationBootstrap(): void {
    this.worker.concurrency = this.jobs.length;
    for (const { name } of this.jobs) initialiseMetrics(name);
  }

  async process({ name }: Pick<Job, 'name'>): Promise<void> {
    const job = this.jobs.find((scheduled) => scheduled.name === name);
    if (job === undefined) {
      // A worker of another version scheduled it.
      this.logger.debug('Skipped an unknown maintenance job.', { job: name });
      return;
    }
    const run = this.run(job).finally(() => this.running.delete(run));
    this.running.add(run);
    await run;
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.debug('BullMQ reported an error.', { error: error.message });
  }

  /**
   * Waits for running jobs, but not for long. BullMQ gives a job that does not stop in time to another worker once its lock
   * has expired.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.worker.pause(true);
    const grace = new AbortController();
    const timedOut = sleep(SHUTDOWN_GRACE_MS, true, { ref: false, signal: grace.signal });
    const finished = Promise.allSettled(this.running).then(() => false);
    const isForced = await Promise.race([finished, timedOut.catch(() => false)]);
    grace.abort();
    await this.worker.close(isForced);
  }

  private async run(job: ScheduledJob): Promise<void> {
    try {
      const isSkipped =
        (await tryLock(this.redis, job.name, (lost) => this.measure(job, lost))) === undefined;
      if (isSkipped) this.logger.debug('Another run is in progress.', { job: job.name });
    } catch (error) {
      this.reportFailure(job.name, error);
      throw error;
    }
  }

  /** A job stops at a shutdown, and when its lock is lost, because another worker may run it then. */
  private async measure(job: ScheduledJob, lost: AbortSignal): Promise<true> {
    const startedAt = performance.now();
    await job.run(AbortSignal.any([this.shutdown.signal, lost]));
    countSuccess(job.name, (performance.now() - startedAt) / 1000);
    return true;
  }

  /** A shutdown that cuts a job off is not a failure. */
  private reportFailure(job: string, error: unknown): void {
    if (this.shutdown.signal.aborted) return;
    countFailure(job);
    this.logger.warn(
      'A maintenance job failed; the next period runs it again. See docs/operations/maintenance.md.',
      { job, error: String(error).slice(0, 300) },
    );
  }
}
