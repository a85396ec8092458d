import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { packageRoot } from '@app/config';
import type { Logger } from '@app/observability';
import { packagedPrices } from '@app/pricing';
import { Redis, tryLock } from '@app/redis';
import { LOGGER } from '../tokens.js';
import { PriceBookWriter } from './price-book.writer.js';

const RETRY_MS = 10_000;

/** Stores the default prices of this version at startup, so that no operator has to import them. */
@Injectable()
export class PackagedPrices implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly book: PriceBookWriter,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.load();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }

  private async load(): Promise<void> {
    try {
      await tryLock(this.redis, 'prices', () => this.store());
    } catch (error) {
      this.logger.warn(`Default prices could not be stored; retrying in ${RETRY_MS / 1000} s`, {
        error: String(error),
      });
      this.timer = setTimeout(() => void this.load(), RETRY_MS);
    }
  }

  private async store(): Promise<void> {
    const packaged = packagedPrices(packageRoot());
    if (await this.book.isStored(packaged)) return;
    const changes = await this.book.changes(packaged);
    await this.book.write(packaged, changes);
    const { source } = packaged;
    this.logger.info('Stored the default prices.', { models: changes.length, source });
  }
}
