import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { Ledger, VersionNames } from '@app/queue';
import { RecordsRebuild } from '../repair/records-rebuild.js';
import { RewriteLock, RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';
import type { RowCounts } from './erased-rows.js';
import { LateRecords } from './late-records.js';
import type { RecentErasure } from './late-rows.sql.js';
import { RecentErasures } from './recent-erasures.js';
import { storedWithin } from './stored-within.js';

const WAIT_MS = 60_000;

/**
 * Deletes erased records, such as objects and feedback, that a worker has stored after the erasure because it was paused
 * during it. Records that were received after the erasure stay.
 */
@Injectable()
export class LateRecordsJob {
  constructor(
    private readonly erasures: RecentErasures,
    private readonly late: LateRecords,
    private readonly ledger: Ledger,
    private readonly names: VersionNames,
    private readonly records: RecordsRebuild,
    private readonly lock: RewriteLock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const rows: RowCounts = {};
    for (const erasure of await this.erasures.unchecked()) {
      if (signal.aborted) break;
      if (await this.check(erasure, rows, signal)) await this.erasures.recordChecked(erasure);
    }
    if (Object.keys(rows).length > 0)
      this.logger.warn('Deleted erased records that were stored after the erasure.', { rows });
  }

  /**
   * Resolves to whether nothing was found. False while facts of the project are pending, or a rebuild, an erasure or a repair
   * runs.
   */
  private async check(
    erasure: RecentErasure,
    rows: RowCounts,
    signal: AbortSignal,
  ): Promise<boolean> {
    if ((await this.ledger.pendingFacts(erasure.target.projectId)) > 0) return false;
    if (!(await this.late.isFound(erasure))) return true;
    try {
      // A step: a command that erases or rebuilds waits for it.
      await this.lock.step((lost) => this.remove(erasure, rows, AbortSignal.any([signal, lost])));
    } catch (error) {
      if (!(error instanceof RewriteRunningError)) throw error;
    }
    return false;
  }

  /** A row may have been merged with a new one, so the rows of the facts that stay are written again. */
  private async remove(
    erasure: RecentErasure,
    rows: RowCounts,
    signal: AbortSignal,
  ): Promise<void> {
    const { projectId } = erasure.target;
    await this.late.remove(erasure, rows, signal);
    await this.names.forget(projectId);
    await storedWithin(this.ledger, projectId, WAIT_MS);
    await this.records.project({ projectId });
  }
}
