import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { freestDisks, Store } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { DiskSpace } from '@app/redis';
import { LOGGER } from '../tokens.js';

const SAMPLE_EVERY_MS = 2000;

/**
 * Reports the disks of ClickHouse to ingest, which does not connect to ClickHouse to accept calls. A timer in every worker
 * and not a maintenance job: the report expires within seconds, and one stuck worker must not stop it.
 */
@Injectable()
export class DiskMonitor implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;

  constructor(
    private readonly store: Store,
    private readonly disks: DiskSpace,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const found = await freestDisks(this.store);
      await this.disks.report(
        found.map(({ node, ...disk }) => ({ name: `ClickHouse ${node}`, ...disk })),
      );
    } catch (error) {
      this.logger.debug('The disks of ClickHouse could not be read.', { error: String(error) });
    } finally {
      this.isBusy = false;
    }
  }
}
