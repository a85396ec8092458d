import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { version } from '@app/config';
import { WorkerPresence } from '@app/queue';
import { nowMillis } from '@app/wire';

const REPORT_EVERY_MS = 5000;

/** Tells operators that this worker runs. A timer in every worker and not a maintenance job, which only one of them runs. */
@Injectable()
export class PresenceReport implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly worker = {
    id: randomUUID(),
    host: hostname(),
    version: version(),
    startedAt: nowMillis(),
  };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly presence: WorkerPresence) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.report(), REPORT_EVERY_MS).unref();
    void this.report();
  }

  /** Does not wait: a worker ends also while Redis is unavailable, and is no longer shown after some seconds. */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.presence.remove(this.worker.id).catch(() => undefined);
  }

  /** Redis that is unavailable has its own error, and the next report follows soon. */
  private async report(): Promise<void> {
    await this.presence.report(this.worker).catch(() => undefined);
  }
}
