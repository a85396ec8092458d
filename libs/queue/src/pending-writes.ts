import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { pendingKey } from './queue-keys.js';

/** A lone write takes some fifty milliseconds; whoever waits for a flood may wait a little longer. */
const FIRST_POLL_MS = 3;
const LAST_POLL_MS = 20;

/** Lets a read wait for what the same user has just written. */
@Injectable()
export class PendingWrites {
  constructor(private readonly redis: Redis) {}

  /**
   * Waits until the chunks pending now are stored, at most `maxWaitMs`; resolves to how many are still pending.
   * Without Redis a read is merely eventual: it resolves at once, to what was last known.
   */
  settled(projectId: string, userId: string, maxWaitMs: number): Promise<number> {
    return this.gone(pendingKey(projectId, userId), maxWaitMs);
  }

  /** The same for everybody's writes to the project. */
  projectSettled(projectId: string, maxWaitMs: number): Promise<number> {
    return this.gone(pendingKey(projectId), maxWaitMs);
  }

  private async gone(key: string, maxWaitMs: number): Promise<number> {
    if (this.redis.status !== 'ready') return 0;
    const deadline = Date.now() + maxWaitMs;
    let pending: string[] = [];
    try {
      pending = await this.redis.smembers(key);
      for (let wait = FIRST_POLL_MS; pending.length > 0 && Date.now() < deadline; wait++) {
        await sleep(Math.min(wait, LAST_POLL_MS));
        pending = await this.remaining(key, pending);
      }
      return pending.length;
    } catch {
      return pending.length;
    }
  }

  private async remaining(key: string, chunkIds: readonly string[]): Promise<string[]> {
    const present = await this.redis.smismember(key, ...chunkIds);
    return chunkIds.filter((_, i) => present[i] === 1);
  }
}
