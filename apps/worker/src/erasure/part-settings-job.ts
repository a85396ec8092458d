import { Inject, Injectable } from '@nestjs/common';
import { OldParts } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { RewriteLock, RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';
import { ERASED_TABLES } from './erasure-target.js';
import { RemovalMark } from './removal-mark.js';

/** Gives tables their own settings again after a removal of old parts that was killed: they are not merged until then. */
@Injectable()
export class PartSettingsJob {
  constructor(
    private readonly parts: OldParts,
    private readonly lock: RewriteLock,
    private readonly mark: RemovalMark,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const isMarked = await this.mark.isSet();
    const changed = await this.parts.changedTables();
    if (!isMarked && changed.length === 0) return;
    try {
      // A removal in progress has the lock.
      const tables = await this.lock.run(() => this.reset(isMarked ? ERASED_TABLES : []));
      if (tables.length > 0)
        this.logger.warn('Finished a removal of old parts that was interrupted.', { tables });
    } catch (error) {
      if (!(error instanceof RewriteRunningError)) throw error;
      this.logger.warn('Tables are not merged until another command has ended.', {
        tables: changed,
        reason: error.message,
      });
    }
  }

  private async reset(marked: readonly string[]): Promise<readonly string[]> {
    const tables = await this.parts.resetSettings(marked);
    await this.mark.clear();
    return tables;
  }
}
