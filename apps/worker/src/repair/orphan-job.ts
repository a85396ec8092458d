import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { CallsQueue, RecordsQueue } from '@app/queue';
import { LOGGER } from '../tokens.js';

/** Removes payloads from Redis that no ticket names. */
@Injectable()
export class OrphanJob {
  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const orphans = (await this.calls.sweepOrphans()) + (await this.records.sweepOrphans());
    if (orphans > 0) this.logger.warn('Payloads without a job were removed.', { orphans });
  }
}
