import { Injectable } from '@nestjs/common';
import { decodeChunk, type Fact } from '@app/events';
import { CallsQueue } from '@app/queue';
import { microsOf, nowMillis } from '@app/wire';
import { DeadLetters, type DeadLetter } from '../pipeline/dead-letters.writer.js';
import type { ChunkStream } from '../pipeline/chunk-pipeline.js';
import { CallsFlush } from './calls.flush.js';

/** Longer than a small flush takes on a busy machine. */
const MAX_WAIT_MS = 500;

/** Lets flushes of the bulk lane yield to flushes of the fast lane, up to a limit, so that the bulk lane makes progress. */
export class FlushPriority {
  private running = 0;
  private waiting = new Set<() => void>();

  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** Flushes of the bulk lane yield until the work is done. */
  async runFirst<R>(work: () => Promise<R>): Promise<R> {
    this.running++;
    try {
      return await work();
    } finally {
      if (--this.running === 0) for (const resume of this.waiting) resume();
    }
  }

  /** Resolves when no flush of the fast lane is running, or after the longest wait. */
  async yieldToFast(): Promise<void> {
    if (this.running === 0) return;
    await new Promise<void>((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, this.maxWaitMs);
      this.waiting.add(resume);
    });
  }
}

/** Decodes and writes the chunks of calls, one stream per lane. */
@Injectable()
export class CallsStream {
  /** Its flushes have priority. */
  readonly fast: ChunkStream<Fact>;
  /** Its flushes yield to those of the fast lane. */
  readonly bulk: ChunkStream<Fact>;

  constructor(
    private readonly queue: CallsQueue,
    flush: CallsFlush,
    priority: FlushPriority,
    private readonly deadLetters: DeadLetters,
  ) {
    this.fast = this.lane((facts) => priority.runFirst(() => flush.write(facts)));
    this.bulk = this.lane((facts) => flush.write(facts, () => priority.yieldToFast()));
  }

  private lane(write: ChunkStream<Fact>['write']): ChunkStream<Fact> {
    return {
      queue: this.queue,
      decode: decodeChunk,
      write,
      onPayloadLost: (chunkId) => this.deadLetters.write([lostChunk(chunkId)]),
    };
  }
}

function lostChunk(chunkId: string): DeadLetter {
  const reason = 'payload lost';
  const fact: Fact = {
    kind: 'rejected',
    chunkId,
    index: 0,
    reason,
    receivedAt: microsOf(nowMillis()),
    projectId: '',
    callId: '',
    userId: '',
    addsOnly: false,
    item: Buffer.alloc(0),
  };
  return { fact, reason, cause: 'lost' };
}
