import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';
import { CallSweeper, type Swept } from './call-sweeper.js';
import { RewriteRunningError } from './rewrite-lock.js';

/** Repairs calls that were stored since the last run and whose row was folded from fewer facts than the log has. */
@Injectable()
export class RepairJob {
  constructor(
    private readonly sweeper: CallSweeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const swept = await this.sweep();
    if (swept === undefined) return;
    const { repaired, deadLettered } = swept;
    if (repaired > 0)
      this.logger.warn('Repaired calls whose row was missing facts of the log.', { repaired });
    if (deadLettered > 0)
      this.logger.error('Calls can never be stored; see docs/operations/dead-letters.md.', {
        deadLettered,
      });
  }

  /** Undefined while a rebuild or an erasure runs. The next run covers the same range. */
  private async sweep(): Promise<Swept | undefined> {
    try {
      return await this.sweeper.sweep();
    } catch (error) {
      if (error instanceof RewriteRunningError) return undefined;
      throw error;
    }
  }
}
