import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { Redis, Settlement, tryLock } from '@app/queue';
import { LOGGER } from '../tokens.js';
import { CallSweeper } from './call-sweeper.js';

const EVERY_MS = 60_000;

/** Once a minute, one of all workers repairs what needs it and removes what nobody will ask for. */
@Injectable()
export class Sweeping implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sweeper: CallSweeper,
    private readonly settlement: Settlement,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      await tryLock(this.redis, 'sweep', async () => {
        const { repaired } = await this.sweeper.sweep();
        if (repaired > 0)
          this.logger.warn('Calls that knew less than the log were repaired.', { repaired });
        const orphans = await this.settlement.sweepOrphans();
        if (orphans > 0) this.logger.warn('Payloads without a job were removed.', { orphans });
      });
    } catch (error) {
      this.logger.warn('The sweep failed; the next one goes on where it stood.', {
        error: String(error),
      });
    }
  }
}
