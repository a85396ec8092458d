import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AUDIT, Store } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { AuditTrail, type Audited } from '@app/queue';
import { Redis, tryLock } from '@app/redis';
import { LOGGER } from '../tokens.js';

const EVERY_MS = 1000;
const AT_ONCE = 1000;

/** Carries what was audited from Redis into its table. Carried twice after a crash, a line is still read once. */
@Injectable()
export class AuditCarrier implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;

  constructor(
    private readonly trail: AuditTrail,
    private readonly store: Store,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.carry(), EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async carry(): Promise<void> {
    if (this.isBusy || this.redis.status !== 'ready') return;
    this.isBusy = true;
    try {
      if ((await this.trail.waiting(1)).length > 0)
        await tryLock(this.redis, 'audit', () => this.carrySome());
    } catch (error) {
      this.logger.warn('The audit trail could not be stored; trying again.', {
        error: String(error),
      });
    } finally {
      this.isBusy = false;
    }
  }

  private async carrySome(): Promise<void> {
    const some = await this.trail.waiting(AT_ONCE);
    await this.store.insert(AUDIT, some.map(auditRow));
    await this.trail.carried(some.length);
  }
}

const auditRow = ({ at, id, userId, action, projectId, detail }: Audited) => ({
  at,
  id,
  user_id: userId,
  action,
  project_id: projectId,
  detail: JSON.stringify(detail),
});
