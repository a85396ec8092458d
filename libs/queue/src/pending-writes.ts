import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { pendingKey } from './streams.js';

/** A single write takes about 50 ms, so the first polls are frequent. */
const FIRST_POLL_MS = 3;
const MAX_POLL_MS = 20;

/** Lets a read wait for pending writes of the same user. */
@Injectable()
export class PendingWrites {
  constructor(private readonly redis: Redis) {}

  /**
   * Waits at most `maxWaitMs` until the chunks that are pending now are settled. Resolves to the number of those that are still
   * pending. When Redis is unavailable it resolves at once, to the last known number.
   */
  settled(projectId: string, userId: string, maxWaitMs: number): Promise<number> {
    return this.waitFor(pendingKey(projectId, userId), maxWaitMs);
  }

  /** The same for the writes of all users to the project. */
  projectSettled(projectId: string, maxWaitMs: number): Promise<number> {
    return this.waitFor(pendingKey(projectId), maxWaitMs);
  }

  private async waitFor(key: string, maxWaitMs: number): Promise<number> {
    if (this.redis.status !== 'ready') return 0;
    const deadline = Date.now() + maxWaitMs;
    let pending: string[] = [];
    try {
      pending = await this.redis.smembers(key);
      for (let wait = FIRST_POLL_MS; pending.length > 0 && Date.now() < deadline; wait++) {
        await sleep(Math.min(wait, MAX_POLL_MS));
        pending = await this.stillPending(key, pending);
      }
      return pending.length;
    } catch {
      return pending.length;
    }
  }

  private async stillPending(key: string, chunkIds: readonly string[]): Promise<string[]> {
    const present = await this.redis.smismember(key, ...chunkIds);
    return chunkIds.filter((_, i) => present[i] === 1);
  }
}
