import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { CallsQueue, RecordsQueue } from '@app/queue';
import { nowMillis } from '@app/wire';
import { LOGGER } from '../tokens.js';

/** Enqueues chunks without a job again, and settles those that also have no payload, for calls and for records. */
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
    const { settled, enqueued } = await queue.reconcile(nowMillis());
    if (enqueued > 0)
      this.logger.info('Enqueued chunks without a job again.', { stream, enqueued });
    if (settled > 0) {
      this.logger.warn('Settled chunks without a job and without a payload.', { stream, settled });
    }
  }
}
