import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { AuditTrail, Ledger } from '@app/queue';
import { Redis, tryLock } from '@app/redis';
import { millis } from '@app/wire';
import { LOGGER } from '../tokens.js';
import { Expiry } from './expiry.js';

const EVERY_MS = 600_000;
/** Most are asleep, in some place. */
const NIGHT_HOUR_UTC = 2;

/** Once a night, one of all workers takes away what has expired. */
@Injectable()
export class RetentionJob implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly expiry: Expiry,
    private readonly ledger: Ledger,
    private readonly redis: Redis,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.runWhenDue(), EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async tell(calls: number): Promise<void> {
    this.logger.info('Calls past their retention are gone.', { calls });
    const detail = { calls };
    await this.audit.record({ userId: 'nightly', action: 'expire', projectId: '', detail });
  }

  private async runWhenDue(now = new Date()): Promise<void> {
    if (now.getUTCHours() < NIGHT_HOUR_UTC) return;
    const night = now.toISOString().slice(0, 10);
    try {
      await tryLock(this.redis, 'expiry', async () => {
        if ((await this.ledger.watermark('expiry')) === night) return;
        const calls = await this.expiry.run(millis(now.getTime()));
        await this.ledger.setWatermark('expiry', night);
        if (calls > 0) await this.tell(calls);
      });
    } catch (error) {
      this.logger.warn('What has expired could not be taken away; trying again.', {
        error: String(error),
      });
    }
  }
}
