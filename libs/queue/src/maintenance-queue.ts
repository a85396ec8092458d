import { BullModule, InjectQueue } from '@nestjs/bullmq';
import { Injectable, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';

/** The BullMQ queue of periodic jobs. */
export const MAINTENANCE_QUEUE = 'maintenance';

/**
 * A failed run is not retried: the next period runs the job again. Chunks are never removed when they fail, because they are
 * facts. A failed maintenance job contains nothing, so the newest hundred are enough to read what went wrong.
 */
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { count: 100 } } as const;

interface MaintenanceState {
  readonly name: string;
  readonly everyMs: number;
  readonly nextAt: number | undefined;
}

/** The schedule of periodic jobs, which all workers share. */
@Injectable()
export class MaintenanceQueue {
  constructor(@InjectQueue(MAINTENANCE_QUEUE) private readonly queue: Queue) {
    // BullMQ would print a stack for each failed attempt to connect. The connection itself logs once that Redis is unavailable.
    queue.on('error', () => undefined);
  }

  /**
   * Makes these names and periods the whole schedule. Safe to repeat and to run in many workers: a job that is already
   * scheduled with the same period keeps its time. A new job runs first after one period.
   */
  async schedule(periodsMs: ReadonlyMap<string, number>): Promise<void> {
    for (const [name, every] of periodsMs) {
      await this.queue.upsertJobScheduler(name, { every, startDate: Date.now() + every }, { name });
    }
    for (const { key } of await this.queue.getJobSchedulers()) {
      if (!periodsMs.has(key)) await this.queue.removeJobScheduler(key);
    }
  }

  /** Every scheduled job, by name. */
  async scheduled(): Promise<MaintenanceState[]> {
    const jobs = await this.queue.getJobSchedulers();
    return jobs
      .map(({ key, every, next }) => ({ name: key, everyMs: Number(every ?? 0), nextAt: next }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The queue of periodic jobs: workers run them, and query shows the schedule. Needs the `QueueModule`. */
@Module({
  imports: [
    BullModule.registerQueue({
      name: MAINTENANCE_QUEUE,
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: 100 } },
    }),
  ],
  providers: [MaintenanceQueue],
  exports: [BullModule, MaintenanceQueue],
})
export class MaintenanceQueueModule {}
