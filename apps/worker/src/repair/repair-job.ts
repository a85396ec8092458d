import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';
import { CallSweeper } from './call-sweeper.js';

/** Repairs calls that were stored since the last run and whose row was folded from fewer facts than the log has. */
@Injectable()
export class RepairJob {
  constructor(
    private readonly sweeper: CallSweeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const { repaired, deadLettered } = await this.sweeper.sweep();
    if (repaired > 0)
      this.logger.warn('Repaired calls whose row was missing facts of the log.', { repaired });
    if (deadLettered > 0)
      this.logger.error('Calls can never be stored; see docs/operations/dead-letters.md.', {
        deadLettered,
      });
  }
}
