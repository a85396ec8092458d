import { Inject, type BeforeApplicationShutdown } from '@nestjs/common';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { decodeRecords, type AnyRecordFact, type Ordered } from '@app/events';
import type { Logger } from '@app/observability';
import { RECORDS_QUEUE, RecordSettlement, SharedFlush } from '@app/queue';
import { LOGGER } from '../tokens.js';
import { untilStored } from '../until-stored.js';
import { RecordsFlush } from './records.flush.js';

/** Somebody waits for the answer, so flushes are frequent; writers that come at once still share them. */
const FLUSH = { intervalMs: () => 10, maxBytes: 16 * 1024 * 1024, maxInFlight: 2 };
const JOBS_AT_ONCE = 64;
const LAST_BACKOFF_MS = 30_000;

@Processor(RECORDS_QUEUE, {
  concurrency: JOBS_AT_ONCE,
  // A job that stalled is run again, however often: every write may be repeated.
  maxStalledCount: 1_000_000_000,
  settings: {
    backoffStrategy: (attempts) => Math.min(250 * 2 ** Math.min(attempts, 10), LAST_BACKOFF_MS),
  },
})
export class RecordsProcessor extends WorkerHost implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly settling = new Set<Promise<void>>();
  private readonly flush: SharedFlush<Ordered<AnyRecordFact>>;

  constructor(
    records: RecordsFlush,
    private readonly settlement: RecordSettlement,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.flush = new SharedFlush(
      (facts) => untilStored(() => records.write(facts), logger, this.stopping.signal),
      FLUSH,
    );
  }

  /** Done only when ClickHouse has stored the chunk's facts. */
  async process(job: Job): Promise<void> {
    const chunkId = job.id!;
    const payload = await this.settlement.payload(chunkId);
    if (payload === null) return this.reportLost(chunkId);
    await this.flush.add(decodeRecords(chunkId, payload), payload.length);
  }

  /** After completion, never before: a job that is run again must find its payload. */
  @OnWorkerEvent('completed')
  onCompleted(job: Job): void {
    const settled = this.settlement
      .settle(job.id!)
      .then(() => undefined)
      .catch((error: unknown) =>
        this.logger.warn('A chunk is stored but not settled yet.', { error: String(error) }),
      )
      .finally(() => this.settling.delete(settled));
    this.settling.add(settled);
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    this.logger.warn('A chunk goes back to the queue.', {
      chunkId: job?.id,
      error: error.message.slice(0, 300),
    });
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.debug('The queue reports an error.', { error: error.message });
  }

  /** Finishes the jobs it holds, unless the store is away: those go back to the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.worker.close();
    await Promise.all(this.settling);
  }

  /** A job without its payload means that Redis lost data; somebody must know. */
  private async reportLost(chunkId: string): Promise<void> {
    this.logger.error('The payload of a chunk is lost; see docs/operations/lost-payload.md.', {
      chunkId,
    });
    await this.settlement.giveUp(chunkId, 'Its payload was lost in Redis.');
  }
}
