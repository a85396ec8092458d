import { Injectable } from '@nestjs/common';
import { decodeChunk, type Fact } from '@app/events';
import { CallsQueue } from '@app/queue';
import { microsOf, nowMillis } from '@app/wire';
import { DeadLetters } from '../pipeline/dead-letters.writer.js';
import type { ChunkStream } from '../pipeline/chunk-pipeline.js';
import { CallsFlush } from './calls.flush.js';
import { FlushPriority } from './flush-priority.js';

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

function lostChunk(chunkId: string) {
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
    item: Buffer.alloc(0),
  };
  return { fact, reason };
}
