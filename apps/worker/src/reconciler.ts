import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { RecordSettlement, Settlement } from '@app/queue';
import { LOGGER } from './tokens.js';

const EVERY_MS = 10_000;

/** Settles what a worker stored and then died before settling: calls and records. */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly calls: Settlement,
    private readonly records: RecordSettlement,
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

  private async reconcile(of: string, settlement: Settlement | RecordSettlement): Promise<void> {
    try {
      const settled = await settlement.reconcile(Date.now());
      if (settled > 0) this.logger.info('Chunks whose worker died were settled.', { of, settled });
    } catch (error) {
      this.logger.warn('The queue could not be reconciled; trying again.', {
        of,
        error: String(error),
      });
    }
  }
}
