import { Inject, Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { Ledger } from '@app/queue';
import { RewriteLock, RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';
import { ErasedRows, type RowCounts } from './erased-rows.js';
import { lateCalls } from './late-rows.sql.js';
import { RecentErasures } from './recent-erasures.js';

const CALLS_PER_BATCH = 5000;

/**
 * Deletes rows of erased calls that were stored after the erasure. A worker that was paused during the erasure still finishes
 * its flush, which another worker has long repeated, and a client may send the calls again. Readers see neither, because the
 * call is deleted; but its payload would be on the disk again, and its usage in reports.
 */
@Injectable()
export class LateRowsJob {
  constructor(
    private readonly store: Store,
    private readonly erasures: RecentErasures,
    private readonly erased: ErasedRows,
    private readonly ledger: Ledger,
    private readonly lock: RewriteLock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const rows: RowCounts = {};
    for (const projectId of await this.erasures.projects()) {
      if (signal.aborted) break;
      await this.removeFrom(projectId, rows);
    }
    if (Object.keys(rows).length > 0)
      this.logger.warn('Deleted rows of erased calls that were stored after the erasure.', {
        rows,
      });
  }

  /** Leaves the project to the next run while facts of it are pending, or while a rebuild, an erasure or a repair runs. */
  private async removeFrom(projectId: string, rows: RowCounts): Promise<void> {
    const found = await this.store.rows<{ id: string }>(lateCalls(projectId, CALLS_PER_BATCH));
    if (found.length === 0 || (await this.ledger.pendingFacts(projectId)) > 0) return;
    const ids = found.map(({ id }) => id);
    try {
      // A step: a command that erases or rebuilds waits for it.
      await this.lock.step(() => this.erased.removeCalls(projectId, ids, rows));
    } catch (error) {
      if (!(error instanceof RewriteRunningError)) throw error;
    }
  }
}
