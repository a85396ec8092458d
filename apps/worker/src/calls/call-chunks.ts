import type { WorkerConfig } from '@app/config';
import { decodeChunk, type Fact } from '@app/events';
import type { Logger } from '@app/observability';
import type { CallsQueue } from '@app/queue';
import { ByteBudget } from '../pipeline/byte-budget.js';
import { SharedFlush } from '../pipeline/shared-flush.js';
import type { Chunks } from '../pipeline/chunk.processor.js';
import type { DeadLetters } from '../dead-letters.writer.js';
import type { PartsGauge } from '../parts-gauge.js';
import { untilStored } from '../pipeline/until-stored.js';

const FLUSHES_IN_FLIGHT = 2;
/** Those in flight and the next one, which gathers meanwhile. */
const FLUSHES_IN_MEMORY = FLUSHES_IN_FLIGHT + 1;

export interface CallChunksParts {
  /** Stores facts; may be repeated. */
  readonly write: (facts: readonly Fact[]) => Promise<void>;
  readonly deadLetters: DeadLetters;
  readonly queue: CallsQueue;
  readonly parts: PartsGauge;
  readonly config: WorkerConfig;
  readonly logger: Logger;
}

/** The chunks of one lane: payload → facts → shared flush, and the settling afterwards. */
export class CallChunks implements Chunks {
  private readonly stopping = new AbortController();
  private readonly flush: SharedFlush<Fact>;
  private readonly memory: ByteBudget;

  constructor(private readonly parts: CallChunksParts) {
    const { config, logger, parts: gauge } = parts;
    this.memory = new ByteBudget(FLUSHES_IN_MEMORY * config.flushMaxBytes);
    const write = (facts: readonly Fact[]) =>
      untilStored(() => parts.write(facts), logger, this.stopping.signal);
    this.flush = new SharedFlush(write, {
      intervalMs: () => config.flushIntervalMs * gauge.slowdown,
      maxBytes: config.flushMaxBytes,
      maxInFlight: FLUSHES_IN_FLIGHT,
    });
  }

  async store(chunkId: string): Promise<void> {
    const bytes = await this.parts.queue.payloadBytes(chunkId);
    await this.memory.take(bytes);
    try {
      const payload = await this.parts.queue.payload(chunkId);
      if (payload === null) return await this.reportLost(chunkId);
      await this.flush.add(decodeChunk(chunkId, payload).facts, bytes);
    } finally {
      this.memory.release(bytes);
    }
  }

  async settle(chunkId: string): Promise<void> {
    try {
      await this.parts.queue.settle(chunkId);
    } catch (error) {
      this.parts.logger.warn('A chunk is stored but not settled yet.', {
        chunkId,
        error: String(error),
      });
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  /** A job without its payload means that Redis lost data, unless another run of it has been here: somebody must know. */
  private async reportLost(chunkId: string): Promise<void> {
    if (await this.parts.queue.isSettled(chunkId)) return;
    this.parts.logger.error(
      'The payload of a chunk is lost; see docs/operations/lost-payload.md.',
      { chunkId },
    );
    const nothing = { projectId: '', callId: '', userId: '', item: Buffer.alloc(0) };
    const receivedAt = Date.now() * 1000;
    const fact: Fact = {
      kind: 'rejected',
      chunkId,
      index: 0,
      reason: 'payload lost',
      receivedAt,
      ...nothing,
    };
    await this.parts.deadLetters.write([{ fact, reason: fact.reason }]);
  }
}
