import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Logger } from '@app/observability';
import { Redis, tryLock } from '@app/redis';
import { Reconciler } from '../pipeline/reconciler.js';
import { LOGGER } from '../tokens.js';
import { CallSweeper } from './call-sweeper.js';
import { LedgerCheckJob } from './ledger-check-job.js';

const EVERY_MS = 60_000;

/** Once a minute, one of all workers repairs what needs it and removes what nobody will ask for. */
@Injectable()
export class RepairJob implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sweeper: CallSweeper,
    private readonly reconciler: Reconciler,
    private readonly checking: LedgerCheckJob,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Each on its own: what is wrong with the calls must not keep Redis from being tidied. */
  private async sweep(): Promise<void> {
    await this.alone('sweep', () => this.sweepCalls());
    await this.alone('sweep-orphans', () => this.sweepOrphans());
    await this.alone('check-ledger', () => this.checkLedger());
  }

  private async checkLedger(): Promise<void> {
    const check = await this.checking.checkWhenDue();
    if (check === undefined) return;
    const { unbalancedFacts, missingFacts, staleCalls } = check;
    if (unbalancedFacts + missingFacts + staleCalls === 0) return;
    this.logger.error('The ledger does not balance; see docs/operations/ledger.md.', {
      unbalancedFacts,
      missingFacts,
      staleCalls,
    });
  }

  private async sweepCalls(): Promise<void> {
    const { repaired, deadLettered } = await this.sweeper.sweep();
    if (repaired > 0)
      this.logger.warn('Calls that knew less than the log were repaired.', { repaired });
    if (deadLettered > 0)
      this.logger.error('Calls can never be stored; see docs/operations/dead-letters.md.', {
        deadLettered,
      });
  }

  private async sweepOrphans(): Promise<void> {
    const orphans = await this.reconciler.sweepOrphans();
    if (orphans > 0) this.logger.warn('Payloads without a job were removed.', { orphans });
  }

  private async alone(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await tryLock(this.redis, name, work);
    } catch (error) {
      this.logger.warn('A sweep failed; the next one goes on where it stood.', {
        sweep: name,
        error: String(error),
      });
    }
  }
}
