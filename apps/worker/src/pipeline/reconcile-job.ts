import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { CallsQueue, RecordsQueue } from '@app/queue';
import { nowMillis } from '@app/wire';
import { LOGGER } from '../tokens.js';

/** Settles chunks that a worker stored and did not settle before it died, for calls and for records. */
@Injectable()
export class ReconcileJob {
  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Reconciles both streams, also when the first fails. */
  async run(): Promise<void> {
    const outcomes = await Promise.allSettled([
      this.reconcile('calls', this.calls),
      this.reconcile('records', this.records),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async reconcile(stream: string, queue: CallsQueue | RecordsQueue): Promise<void> {
    const settled = await queue.reconcile(nowMillis());
    if (settled > 0) this.logger.info('Settled chunks of a dead worker.', { stream, settled });
  }
}
