import { Worker } from 'node:worker_threads';
import type { EnginePlace } from './connection.js';

export interface StreamPlan {
  readonly database: string;
  readonly sql: string;
  readonly format: string;
  readonly maxSeconds: number;
}

export type StreamCommand =
  ({ readonly kind: 'start' } & StreamPlan) | { readonly kind: 'next' } | { readonly kind: 'stop' };

export type StreamReply =
  | { readonly kind: 'block'; readonly bytes: Uint8Array }
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A block is copied several times before it is sent, so blocks of wide rows must not have many of them. */
const BLOCK_ROWS = 8192;

/**
 * A connection on a thread of its own, for results that are read block by block. The engine plans such a
 * statement on the calling thread, scalar subqueries and IN sets included: on the main thread one slow
 * subquery would stop every other client. The thread lives as long as the host, because ending one shuts
 * the engine down for all.
 */
export class StreamThread {
  private readonly worker: Worker;

  constructor({ path, args }: EnginePlace) {
    const workerData: EnginePlace = { path, args: [...args, `--max_block_size=${BLOCK_ROWS}`] };
    this.worker = new Worker(new URL('./stream-worker.js', import.meta.url), { workerData });
    this.worker.on('error', (error) => {
      throw error; // the host is not whole any more; its supervisor starts another
    });
  }

  /** Requests the next block while the last one is sent, so at most two are in memory. */
  async *stream(plan: StreamPlan): AsyncGenerator<Uint8Array, void> {
    let coming = this.send({ kind: 'start', ...plan });
    try {
      for (let reply = await coming; reply.kind !== 'over'; reply = await coming) {
        if (reply.kind === 'failed') throw new Error(reply.reason);
        coming = this.send({ kind: 'next' });
        yield reply.bytes;
      }
    } finally {
      const last = await coming;
      if (last.kind === 'block') await this.send({ kind: 'stop' });
    }
  }

  private send(command: StreamCommand): Promise<StreamReply> {
    return new Promise((resolve) => {
      this.worker.once('message', resolve);
      this.worker.postMessage(command);
    });
  }
}
