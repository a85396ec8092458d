import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { collectedGauges, type Logger } from '@app/observability';
import { Redis, tryLock } from '@app/redis';
import { LOGGER } from '../tokens.js';
import { PRICES_FRESH_MS } from './costs-at-write.js';
import { Repricing } from './repricing.js';
import { StalePrices } from './stale-prices.js';

/** Longer than any worker goes on with prices it has looked up before the change. */
export const EVERY_MS = 3 * PRICES_FRESH_MS;

/**
 * After a price has changed, one of all workers refreshes the costs of the project's calls, a month at a time. Not before
 * it has seen the change twice: until then another worker may still write rows with the costs of yesterday's prices.
 */
@Injectable()
export class RepricingJob implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;
  private left = 0;
  private seen: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly repricing: Repricing,
    private readonly stale: StalePrices,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const worker_repricing_calls_left = 'Calls whose stored cost is still to be refreshed here.';
    collectedGauges({ worker_repricing_calls_left }, async () => ({
      worker_repricing_calls_left: this.left,
    }));
    this.timer = setInterval(() => void this.refresh(), EVERY_MS);
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    try {
      await tryLock(this.redis, 'reprice', () => this.refreshAll());
    } catch (error) {
      this.logger.warn('Costs could not be refreshed; trying again.', { error: String(error) });
    }
  }

  /** A project is forgotten only when it is done, and only if no price of it has changed meanwhile. */
  private async refreshAll(): Promise<void> {
    const marked = await this.stale.all();
    const settled = marked.filter(({ projectId, mark }) => this.seen.get(projectId) === mark);
    this.seen = new Map(marked.map(({ projectId, mark }) => [projectId, mark]));
    for (const { projectId, mark } of settled) {
      for await (const { done, total } of this.repricing.reprice(projectId)) {
        this.left = total - done;
        if (this.isStopping) return;
      }
      await this.stale.done(projectId, mark);
      this.logger.info('The costs of a project were refreshed.', { projectId });
    }
  }
}
