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

const AGAIN_MS = 10_000;

/** The prices that come with this version are stored before the first call is: nobody has to import them. */
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
      this.logger.warn('The packaged prices could not be stored; trying again.', {
        error: String(error),
      });
      this.timer = setTimeout(() => void this.load(), AGAIN_MS);
    }
  }

  private async store(): Promise<void> {
    const packaged = packagedPrices(packageRoot());
    if (await this.book.isStored(packaged)) return;
    const changes = await this.book.changes(packaged);
    await this.book.write(packaged, changes);
    const { source } = packaged;
    this.logger.info('Default prices were stored.', { models: changes.length, source });
  }
}
