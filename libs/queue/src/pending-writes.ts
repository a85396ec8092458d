import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { oldPendingKey, pendingWritesKey, STREAM_KEYS } from './streams.js';

/** A single write takes about 50 ms, so the first polls are frequent. */
const FIRST_POLL_MS = 3;
const MAX_POLL_MS = 20;

/** Where the pending writes of one owner are. */
interface Keys {
  readonly sorted: string;
  /** Of version 0.1. */
  readonly old: string;
}

/** The newest sequence number, and the number of pending chunks, which all have at most this number. */
interface PendingNow {
  readonly newest: string;
  readonly count: number;
}

/** The writes of one owner that are pending at a point in time. */
export interface PendingSince {
  /** Waits at most `maxWaitMs` until they are settled. Resolves to the number of chunks that are still pending. */
  settled(maxWaitMs: number): Promise<number>;
}

/**
 * First removes the oldest chunks that are settled but still in the sorted set: a worker of version 0.1, which does not know
 * it, has settled them. Without such chunks the loop ends at once.
 *
 * KEYS: sorted set, set of version 0.1, inflight chunks of each stream.
 */
const PENDING_NOW = `
for _ = 1, 1000 do
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not oldest or redis.call('ZSCORE', KEYS[3], oldest) or redis.call('ZSCORE', KEYS[4], oldest) then break end
  redis.call('ZREM', KEYS[1], oldest)
end
local newest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
return {newest[2] or '0', redis.call('ZCARD', KEYS[1]) + redis.call('SCARD', KEYS[2])}`;

/** Lets a read wait for pending writes of the same user. */
@Injectable()
export class PendingWrites {
  constructor(private readonly redis: Redis) {}

  /**
   * Waits at most `maxWaitMs` until the chunks that are pending now are settled. Resolves to the number of those that are still
   * pending. When Redis is unavailable it resolves at once, to the last known number.
   */
  async settled(projectId: string, userId: string, maxWaitMs: number): Promise<number> {
    return (await this.since(projectId, userId)).settled(maxWaitMs);
  }

  /** The same for the writes of all users to the project. */
  async projectSettled(projectId: string, maxWaitMs: number): Promise<number> {
    return (await this.since(projectId)).settled(maxWaitMs);
  }

  /** What is pending now of a user, or of all users. The caller may do something else before it waits. Never rejects. */
  async since(projectId: string, userId?: string): Promise<PendingSince> {
    const keys = keysOf(projectId, userId);
    const now = await this.pendingNow(keys).catch(() => NOTHING_PENDING);
    return { settled: (maxWaitMs) => this.waitFor(keys, now, maxWaitMs) };
  }

  private async waitFor(keys: Keys, now: PendingNow, maxWaitMs: number): Promise<number> {
    const deadline = Date.now() + maxWaitMs;
    let pending = now.count;
    try {
      for (let wait = FIRST_POLL_MS; pending > 0 && Date.now() < deadline; wait++) {
        await sleep(Math.min(wait, MAX_POLL_MS));
        pending = await this.pendingUntil(keys, now.newest);
      }
      return pending;
    } catch {
      return pending;
    }
  }

  /** In one script, so that no chunk is added in between. */
  private async pendingNow({ sorted, old }: Keys): Promise<PendingNow> {
    if (this.redis.status !== 'ready') return NOTHING_PENDING;
    const inflight = Object.values(STREAM_KEYS).map((keys) => keys.inflight);
    const keys = [sorted, old, ...inflight];
    const reply = await this.redis.eval(PENDING_NOW, keys.length, ...keys);
    const [newest, count] = reply as [string, number];
    return { newest, count };
  }

  /**
   * The number of pending chunks up to a sequence number, so without later writes, in O(log n). Nothing adds to the set of
   * version 0.1, so all its chunks are older.
   */
  private async pendingUntil({ sorted, old }: Keys, newest: string): Promise<number> {
    const counts = await Promise.all([
      this.redis.zcount(sorted, '-inf', newest),
      this.redis.scard(old),
    ]);
    return counts[0] + counts[1];
  }
}

const NOTHING_PENDING: PendingNow = { newest: '0', count: 0 };

const keysOf = (projectId: string, userId?: string): Keys => ({
  sorted: pendingWritesKey(projectId, userId),
  old: oldPendingKey(projectId, userId),
});
