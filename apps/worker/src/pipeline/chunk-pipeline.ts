import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '@app/clickhouse';
import { startSharedSpan, traced, type Logger, type Span } from '@app/observability';
import type { ChunkQueue, StreamFact } from '@app/queue';
import { ChunkFailedError } from './chunk-failed-error.js';
import { requireYoung } from './flush-age.js';
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
    const write = (facts: readonly Fact[], spans: readonly Span[]) => {
      const span = startSharedSpan('flush', spans)?.set('heddle.facts', facts.length);
      const retried = () =>
        retryUntilStored(() => stream.write(facts), logger, this.stopping.signal);
      return traced(span, retried);
    };
    this.flush = new SharedFlush(write, limits);
  }

  /** Resolves when ClickHouse has stored the chunk's facts. */
  async store(chunkId: string, spans: readonly Span[] = []): Promise<void> {
    const { queue } = this.stream;
    const bytes = await queue.payloadBytes(chunkId);
    await this.memory.acquire(bytes);
    try {
      const payload = await queue.payload(chunkId);
      if (payload === null) return await this.reportLost(chunkId);
      await this.flushed(this.stream.decode(chunkId, payload), bytes, spans);
    } finally {
      this.memory.release(bytes);
    }
  }

  private async flushed(
    facts: readonly Fact[],
    bytes: number,
    spans: readonly Span[],
  ): Promise<void> {
    try {
      await this.flush.add(facts, bytes, spans);
    } catch (error) {
      throw new ChunkFailedError(facts, error);
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

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/**
 * Retries a write while ClickHouse is unavailable. The jobs stay active meanwhile, so a worker has a limited number of facts
 * in memory and fetches no more. When `stopping` aborts, or after an hour, it rejects, and the jobs return to the queue.
 */
export async function retryUntilStored(
  write: () => Promise<void>,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const beganAt = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      requireYoung(beganAt);
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || stopping.aborted) throw error;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
      report(error, logger, attempt, waitMs);
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => {
        throw error;
      });
    }
  }
}

function report(error: StoreUnavailableError, logger: Logger, attempt: number, waitMs: number) {
  const fields = { error: error.message.slice(0, 300), waitMs };
  const next = `retrying in ${waitMs / 1000} s (attempt ${attempt})`;
  if (!error.isUnexpected) return logger.warn(`ClickHouse unavailable; ${next}`, fields);
  logger.error(
    `ClickHouse reported an unexpected error; ${next}; see docs/operations/unexpected-errors.md.`,
    fields,
  );
}

interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
}

/** Limits the bytes that are in memory at the same time. Waiters are served in order, so that a large one never starves. */
export class ByteBudget {
  private used = 0;
  private readonly waiting: Waiter[] = [];

  constructor(private readonly max: number) {}

  /** Resolves when the bytes fit into the budget, or when nothing else is in use. The caller must release them. */
  async acquire(bytes: number): Promise<void> {
    if (this.waiting.length > 0 || !this.fits(bytes))
      await new Promise<void>((resolve) => this.waiting.push({ bytes, resolve }));
    else this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
    while (this.waiting.length > 0 && this.fits(this.waiting[0]!.bytes)) {
      const next = this.waiting.shift()!;
      this.used += next.bytes;
      next.resolve();
    }
  }

  private fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.max;
  }
}
