import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CallsQueue, QueueProgress, RecordsQueue } from '@app/queue';
import { millis, nowMillis } from '@app/wire';
import { RestoreError } from './restore-error.js';

const POLL_MS = 100;
const STALLED_MS = 120_000;
/** The reconciler leaves young chunks to the worker that may be storing them. No worker is storing these. */
const AHEAD_MS = 86_400_000;

/** Stores the pending chunks of a restored queue. The consumers of the same process do the work. */
@Injectable()
export class QueueDrain {
  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
    private readonly progress: QueueProgress,
  ) {}

  /** Resolves when nothing is pending. Rejects with RestoreError when nothing was stored for two minutes. */
  async run(report: (stored: number, total: number) => void, signal: AbortSignal): Promise<void> {
    await this.addJobs();
    const total = await this.pending();
    let [least, changedAt] = [total, Date.now()];
    for (let left = total; left > 0; left = await this.pending()) {
      report(total - left, total);
      if (left < least) [least, changedAt] = [left, Date.now()];
      if (Date.now() - changedAt > STALLED_MS)
        throw new RestoreError(
          `${left} pending chunks cannot be stored; see the log of ClickHouse.`,
        );
      await sleep(POLL_MS, undefined, { signal });
    }
    report(total, total);
  }

  /** The reconciler examines a bounded number of chunks at a time. */
  private async addJobs(): Promise<void> {
    const now = millis(nowMillis() + AHEAD_MS);
    for (const queue of [this.calls, this.records])
      while ((await queue.reconcile(now)).enqueued > 0) continue;
  }

  private async pending(): Promise<number> {
    const [calls, records] = await Promise.all([
      this.progress.read('calls'),
      this.progress.read('records'),
    ]);
    return calls.pendingChunks + records.pendingChunks;
  }
}
