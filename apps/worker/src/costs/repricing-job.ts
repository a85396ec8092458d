import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { collectedGauges, type Logger } from '@app/observability';
import { StalePrices } from '@app/queue';
import { LOGGER } from '../tokens.js';
import { RewriteRunningError } from '../repair/rewrite-lock.js';
import { PRICES_FRESH_MS } from './costs-at-write.js';
import { Repricing } from './repricing.js';

/** Longer than any worker uses prices that it read before a change. */
export const REPRICING_EVERY_MS = 3 * PRICES_FRESH_MS;

/**
 * Refreshes the costs of a project's calls after a price has changed, a month at a time. A change waits for a whole period
 * first: until then another worker may still write rows with costs of the old prices.
 */
@Injectable()
export class RepricingJob implements OnApplicationBootstrap {
  private left = 0;

  constructor(
    private readonly repricing: Repricing,
    private readonly stale: StalePrices,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const heddle_worker_repricing_calls_left =
      'Calls whose stored cost is still to be refreshed here.';
    collectedGauges({ heddle_worker_repricing_calls_left }, async () => ({
      heddle_worker_repricing_calls_left: this.left,
    }));
  }

  /** Stops between two months when the worker does. The project is then refreshed again by a later run. */
  async run(signal: AbortSignal): Promise<void> {
    const changedBefore = Date.now() - REPRICING_EVERY_MS;
    for (const { projectId, mark } of await this.stale.all()) {
      if (Number(mark) >= changedBefore) continue;
      if (!(await this.refresh(projectId, signal))) return;
      await this.stale.done(projectId, mark);
      this.logger.info('Refreshed the costs of a project.', { projectId });
    }
  }

  /** Resolves to whether all months are refreshed. */
  private async refresh(projectId: string, signal: AbortSignal): Promise<boolean> {
    try {
      for await (const progress of this.repricing.reprice(projectId)) {
        this.left = progress.total - progress.done;
        await this.stale.setProgress(projectId, progress);
        if (signal.aborted) return false;
      }
      return true;
    } catch (error) {
      // The next run begins again when the rebuild or erasure has ended.
      if (error instanceof RewriteRunningError) return false;
      throw error;
    }
  }
}
