import { Inject, Injectable } from '@nestjs/common';
import { OldParts } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { RewriteLock, RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';

/** Gives tables their own settings again after a removal of old parts that was killed: they are not merged until then. */
@Injectable()
export class PartSettingsJob {
  constructor(
    private readonly parts: OldParts,
    private readonly lock: RewriteLock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    if ((await this.parts.changedTables()).length === 0) return;
    try {
      // A removal in progress has the lock.
      const tables = await this.lock.run(() => this.parts.resetSettings());
      if (tables.length > 0)
        this.logger.warn('Finished a removal of old parts that was interrupted.', { tables });
    } catch (error) {
      if (!(error instanceof RewriteRunningError)) throw error;
    }
  }
}
