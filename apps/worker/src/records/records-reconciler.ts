import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { RecordSettlement } from '@app/queue';
import { LOGGER } from '../tokens.js';

const EVERY_MS = 10_000;

/** Settles records that a worker stored and then died before settling. */
@Injectable()
export class RecordsReconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settlement: RecordSettlement,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.reconcile(), EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async reconcile(): Promise<void> {
    try {
      const settled = await this.settlement.reconcile(Date.now());
      if (settled > 0) this.logger.info('Records whose worker died were settled.', { settled });
    } catch (error) {
      this.logger.warn('The records could not be reconciled; trying again.', {
        error: String(error),
      });
    }
  }
}
