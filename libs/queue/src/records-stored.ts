import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { queueError, Redis } from '@app/redis';
import { RECORDS_STREAM } from './streams.js';

const POLL_MS = 4;

/** It is kept and will be stored, but cannot be read yet. */
export class WritePendingError extends HeddleError {
  readonly code = 'write_pending';
}

/** The store will never take it; it is among the dead letters. */
export class WriteRejectedError extends HeddleError {
  readonly code = 'write_rejected';
}

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Tells writers when their chunks are stored. One question to Redis per round, however many wait. */
@Injectable()
export class RecordsStored {
  private readonly waiting = new Map<string, Waiting>();
  private isAsking = false;
  /** How long a writer waits for its chunk to be stored. */
  protected readonly maxWaitMs: number = 5000;

  constructor(private readonly redis: Redis) {}

  /** Resolves when the chunk is stored; rejects with WritePendingError after the longest wait. */
  wait(chunkId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.set(chunkId, { until: Date.now() + this.maxWaitMs, resolve, reject });
      if (!this.isAsking) void this.askUntilNobodyWaits();
    });
  }

  private async askUntilNobodyWaits(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.size > 0) {
      await sleep(POLL_MS);
      await this.ask().catch((error: unknown) => this.failAll(queueError(error)));
    }
    this.isAsking = false;
  }

  private async ask(): Promise<void> {
    const chunkIds = [...this.waiting.keys()];
    const scores = await this.redis.zmscore(RECORDS_STREAM.keys.inflight, ...chunkIds);
    const settled = chunkIds.filter((_, i) => scores[i] === null);
    if (settled.length > 0) await this.tell(settled);
    const now = Date.now();
    for (const [chunkId, { until, reject }] of this.waiting) {
      if (until > now) continue;
      this.waiting.delete(chunkId);
      reject(
        new WritePendingError('It is kept, but not readable yet; sending it again does no harm.'),
      );
    }
  }

  private async tell(settled: readonly string[]): Promise<void> {
    const reasons = await this.redis.mget(settled.map(RECORDS_STREAM.keys.rejection));
    for (const [i, chunkId] of settled.entries()) {
      const waiting = this.waiting.get(chunkId);
      this.waiting.delete(chunkId);
      const reason = reasons[i];
      if (typeof reason === 'string') waiting?.reject(new WriteRejectedError(reason));
      else waiting?.resolve();
    }
  }

  private failAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
