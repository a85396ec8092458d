import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { CallsQueue, RecordsQueue } from '@app/queue';
import { nowMillis } from '@app/wire';
import { LOGGER } from '../tokens.js';

const EVERY_MS = 10_000;

/** Settles what a worker stored before it died, of calls and of records, and removes payloads that nothing names. */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      void this.reconcile('calls', this.calls);
      void this.reconcile('records', this.records);
    }, EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Removes payloads that no ticket names, of either stream; resolves to how many. */
  async sweepOrphans(): Promise<number> {
    return (await this.calls.sweepOrphans()) + (await this.records.sweepOrphans());
  }

  private async reconcile(of: string, queue: CallsQueue | RecordsQueue): Promise<void> {
    try {
      const settled = await queue.reconcile(nowMillis());
      if (settled > 0) this.logger.info('Chunks whose worker died were settled.', { of, settled });
    } catch (error) {
      this.logger.warn('The queue could not be reconciled; trying again.', {
        of,
        error: String(error),
      });
    }
  }
}
