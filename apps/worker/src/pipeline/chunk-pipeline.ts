import type { Logger } from '@app/observability';
import type { ChunkQueue, StreamFact } from '@app/queue';
import { ByteBudget } from './byte-budget.js';
import { retryUntilStored } from './retry-until-stored.js';
import { SharedFlush, type FlushLimits } from './shared-flush.js';

/** The part of the pipeline that differs between calls and records. */
export interface ChunkStream<Fact> {
  readonly queue: Pick<ChunkQueue<StreamFact>, 'payload' | 'payloadBytes' | 'isSettled' | 'settle'>;
  decode(chunkId: string, payload: Buffer): readonly Fact[];
  /** Resolves when ClickHouse has stored the facts of many chunks. May be repeated. */
  write(facts: readonly Fact[]): Promise<void>;
  /** Called when Redis has lost the payload of a chunk that is not stored: informs the waiting client or the operator. */
  onPayloadLost(chunkId: string): Promise<void>;
}

/** Processes one chunk: payload → facts → shared flush, then settlement. */
export class ChunkPipeline<Fact> {
  private readonly stopping = new AbortController();
  private readonly flush: SharedFlush<Fact>;
  private readonly memory: ByteBudget;

  constructor(
    private readonly stream: ChunkStream<Fact>,
    limits: FlushLimits,
    private readonly logger: Logger,
  ) {
    // Flushes in flight, and the next one, which is being collected.
    this.memory = new ByteBudget((limits.maxInFlight + 1) * limits.maxBytes);
    const write = (facts: readonly Fact[]) =>
      retryUntilStored(() => stream.write(facts), logger, this.stopping.signal);
    this.flush = new SharedFlush(write, limits);
  }

  /** Resolves when ClickHouse has stored the chunk's facts. */
  async store(chunkId: string): Promise<void> {
    const { queue } = this.stream;
    const bytes = await queue.payloadBytes(chunkId);
    await this.memory.acquire(bytes);
    try {
      const payload = await queue.payload(chunkId);
      if (payload === null) return await this.reportLost(chunkId);
      await this.flush.add(this.stream.decode(chunkId, payload), bytes);
    } finally {
      this.memory.release(bytes);
    }
  }

  /** Never rejects: the reconciler enqueues a chunk again that could not be settled here. */
  async settle(chunkId: string): Promise<void> {
    try {
      await this.stream.queue.settle(chunkId);
    } catch (error) {
      this.logger.warn(
        'A chunk is stored but could not be settled; the reconciler will enqueue it again.',
        {
          chunkId,
          error: String(error),
        },
      );
    }
  }

  /** Stops retries while ClickHouse is unavailable. */
  stop(): void {
    this.stopping.abort();
  }

  /** A job without a payload means that Redis has lost data, unless another run of the job has stored the chunk. */
  private async reportLost(chunkId: string): Promise<void> {
    if (await this.stream.queue.isSettled(chunkId)) return;
    this.logger.error('The payload of a chunk is lost; see docs/operations/lost-payload.md.', {
      chunkId,
    });
    await this.stream.onPayloadLost(chunkId);
  }
}
