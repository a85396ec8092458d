import type { Logger } from '@app/observability';
import type { ChunkQueue, StreamFact } from '@app/queue';
import { ByteBudget } from './byte-budget.js';
import { retryUntilStored } from './retry-until-stored.js';
import { SharedFlush, type FlushLimits } from './shared-flush.js';

/** What a stream of chunks supplies: how a payload is decoded, and how its facts are written. */
export interface ChunkStream<Fact> {
  readonly queue: Pick<ChunkQueue<StreamFact>, 'payload' | 'payloadBytes' | 'isSettled' | 'settle'>;
  decode(chunkId: string, payload: Buffer): readonly Fact[];
  /** Resolves when ClickHouse has stored the facts of many chunks. May be repeated. */
  write(facts: readonly Fact[]): Promise<void>;
  /** Redis has lost the payload of a chunk that is not stored: tells those who wait, or those who operate. */
  onPayloadLost(chunkId: string): Promise<void>;
}

/** The way of a chunk through a worker: payload → facts → shared flush, and its settlement afterwards. */
export class ChunkPipeline<Fact> {
  private readonly stopping = new AbortController();
  private readonly flush: SharedFlush<Fact>;
  private readonly memory: ByteBudget;

  constructor(
    private readonly stream: ChunkStream<Fact>,
    limits: FlushLimits,
    private readonly logger: Logger,
  ) {
    // Flushes in flight, and the next one, which gathers meanwhile.
    this.memory = new ByteBudget((limits.maxInFlight + 1) * limits.maxBytes);
    const write = (facts: readonly Fact[]) =>
      retryUntilStored(() => stream.write(facts), logger, this.stopping.signal);
    this.flush = new SharedFlush(write, limits);
  }

  /** Resolves when ClickHouse has stored the chunk's facts. */
  async store(chunkId: string): Promise<void> {
    const { queue } = this.stream;
    const bytes = await queue.payloadBytes(chunkId);
    await this.memory.take(bytes);
    try {
      const payload = await queue.payload(chunkId);
      if (payload === null) return await this.reportLost(chunkId);
      await this.flush.add(this.stream.decode(chunkId, payload), bytes);
    } finally {
      this.memory.release(bytes);
    }
  }

  /** Never fails: the reconciler settles a chunk that cannot be settled now. */
  async settle(chunkId: string): Promise<void> {
    try {
      await this.stream.queue.settle(chunkId);
    } catch (error) {
      this.logger.warn('A chunk is stored but not settled yet.', {
        chunkId,
        error: String(error),
      });
    }
  }

  /** From now on nothing is retried while ClickHouse is unavailable. */
  stop(): void {
    this.stopping.abort();
  }

  /** A job without its payload means that Redis lost data, unless another run of the job has stored it. */
  private async reportLost(chunkId: string): Promise<void> {
    if (await this.stream.queue.isSettled(chunkId)) return;
    this.logger.error('The payload of a chunk is lost; see docs/operations/lost-payload.md.', {
      chunkId,
    });
    await this.stream.onPayloadLost(chunkId);
  }
}
