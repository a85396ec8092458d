import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { queueError, Redis } from '@app/redis';
import { RECORDS_STREAM } from './streams.js';

const POLL_MS = 4;

/** The write is accepted and will be stored, but cannot be read yet. */
export class WritePendingError extends HeddleError {
  readonly code = 'write_pending';
}

/** ClickHouse has refused the write; it is a dead letter. */
export class WriteRejectedError extends HeddleError {
  readonly code = 'write_rejected';
}

interface Waiter {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Waits until chunks are settled. One poll of Redis serves all waiting clients. */
@Injectable()
export class RecordsStored {
  private readonly waiting = new Map<string, Waiter>();
  private isPolling = false;
  /** How long a client waits for its chunk to be settled. */
  protected readonly maxWaitMs: number = 5000;

  constructor(private readonly redis: Redis) {}

  /** Resolves when the chunk is settled. Rejects with WriteRejectedError, or with WritePendingError after the maximum wait. */
  wait(chunkId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.set(chunkId, { until: Date.now() + this.maxWaitMs, resolve, reject });
      if (!this.isPolling) void this.pollWhileWaiting();
    });
  }

  private async pollWhileWaiting(): Promise<void> {
    this.isPolling = true;
    while (this.waiting.size > 0) {
      await sleep(POLL_MS);
      await this.poll().catch((error: unknown) => this.failAll(queueError(error)));
    }
    this.isPolling = false;
  }

  private async poll(): Promise<void> {
    const chunkIds = [...this.waiting.keys()];
    const scores = await this.redis.zmscore(RECORDS_STREAM.keys.inflight, ...chunkIds);
    const settled = chunkIds.filter((_, i) => scores[i] === null);
    if (settled.length > 0) await this.notify(settled);
    const now = Date.now();
    for (const [chunkId, { until, reject }] of this.waiting) {
      if (until > now) continue;
      this.waiting.delete(chunkId);
      reject(
        new WritePendingError(
          'The write is accepted but not readable yet; it is safe to repeat it.',
        ),
      );
    }
  }

  private async notify(settled: readonly string[]): Promise<void> {
    const reasons = await this.redis.mget(settled.map(RECORDS_STREAM.keys.rejection));
    for (const [i, chunkId] of settled.entries()) {
      const waiter = this.waiting.get(chunkId);
      this.waiting.delete(chunkId);
      const reason = reasons[i];
      if (typeof reason === 'string') waiter?.reject(new WriteRejectedError(reason));
      else waiter?.resolve();
    }
  }

  private failAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
