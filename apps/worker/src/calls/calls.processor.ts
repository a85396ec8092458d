import {
  Inject,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import type { WorkerConfig } from '@app/config';
import { decodeChunk, type Fact } from '@app/events';
import type { Logger } from '@app/observability';
import { CALLS_QUEUE, Settlement, SharedFlush } from '@app/queue';
import { DeadLetters } from '../dead-letters.writer.js';
import { LOGGER, WORKER_CONFIG } from '../tokens.js';
import { untilStored } from '../until-stored.js';
import { CallsFlush } from './calls.flush.js';

const FLUSHES_IN_FLIGHT = 2;
const LAST_BACKOFF_MS = 30_000;

@Processor(CALLS_QUEUE, {
  // A job that stalled is run again, however often: every write may be repeated.
  maxStalledCount: 1_000_000_000,
  settings: {
    backoffStrategy: (attempts) => Math.min(250 * 2 ** Math.min(attempts, 10), LAST_BACKOFF_MS),
  },
})
export class CallsProcessor
  extends WorkerHost
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly stopping = new AbortController();
  private readonly settling = new Set<Promise<void>>();
  private readonly flush: SharedFlush<Fact>;

  constructor(
    calls: CallsFlush,
    private readonly deadLetters: DeadLetters,
    private readonly settlement: Settlement,
    @Inject(WORKER_CONFIG) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    const write = (facts: readonly Fact[]) =>
      untilStored(() => calls.write(facts), logger, this.stopping.signal);
    const { flushIntervalMs: intervalMs, flushMaxBytes: maxBytes } = config;
    this.flush = new SharedFlush(write, { intervalMs, maxBytes, maxInFlight: FLUSHES_IN_FLIGHT });
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.config.concurrency;
  }

  /** Done only when ClickHouse has stored the chunk's facts. */
  async process(job: Job): Promise<void> {
    const chunkId = job.id!;
    const payload = await this.settlement.payload(chunkId);
    if (payload === null) return this.reportLost(chunkId);
    await this.flush.add(decodeChunk(chunkId, payload).facts, payload.length);
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
    const nothing = {
      projectId: '',
      callId: '',
      userId: '',
      receivedAt: Date.now() * 1000,
      item: Buffer.alloc(0),
    };
    const fact: Fact = { kind: 'rejected', chunkId, index: 0, reason: 'payload lost', ...nothing };
    await this.deadLetters.write([{ fact, reason: fact.reason }]);
  }
}
