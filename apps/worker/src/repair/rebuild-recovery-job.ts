import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';
import { CallsRebuild } from './calls-rebuild.js';
import { RecordsRebuild } from './records-rebuild.js';
import { RewriteRunningError } from './rewrite-lock.js';

/** Finishes rebuilds that were interrupted after they had exchanged a table. */
@Injectable()
export class RebuildRecoveryJob {
  constructor(
    private readonly calls: CallsRebuild,
    private readonly records: RecordsRebuild,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    for (const [name, rebuild] of Object.entries({ calls: this.calls, records: this.records })) {
      try {
        if (await rebuild.recover())
          this.logger.warn('Finished a rebuild that was interrupted.', { rebuild: name });
      } catch (error) {
        if (!(error instanceof RewriteRunningError)) throw error;
      }
    }
  }
}
