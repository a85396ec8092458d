import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { MaintenanceQueue } from '@app/queue';
import { LOGGER } from '../tokens.js';
import { SCHEDULED_JOBS, type ScheduledJob } from './maintenance-jobs.js';

const RENEW_EVERY_MS = 60_000;

/**
 * Writes the schedule of all jobs to Redis, at the start and once a minute. The renewal is a timer because no job can do
 * it: a Redis that lost its data has lost the schedule as well.
 */
@Injectable()
export class MaintenanceSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isRenewing = false;
  private isStopping = false;

  constructor(
    @Inject(SCHEDULED_JOBS) private readonly jobs: readonly ScheduledJob[],
    private readonly queue: MaintenanceQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Does not wait for Redis: a worker reports its health also while Redis is unavailable. */
  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
    void this.renew();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    clearInterval(this.timer);
  }

  /** Skips a turn while the last one still waits for Redis. */
  private async renew(): Promise<void> {
    if (this.isRenewing) return;
    this.isRenewing = true;
    try {
      await this.queue.schedule(new Map(this.jobs.map(({ name, everyMs }) => [name, everyMs])));
    } catch (error) {
      if (!this.isStopping)
        this.logger.warn(
          `Maintenance could not be scheduled; retrying in ${RENEW_EVERY_MS / 1000} s`,
          {
            error: String(error),
          },
        );
    } finally {
      this.isRenewing = false;
    }
  }
}
