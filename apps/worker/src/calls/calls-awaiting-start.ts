import { Injectable } from '@nestjs/common';
import { KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { nowMillis } from '@app/wire';
import { shortHash } from './call-claims.js';

const CALLS_PER_COMMAND = 10_000;
/** A start that has not arrived by then is lost, or its call was erased or has expired. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Limits the memory of a client that sends ends only. The oldest calls are dropped first. */
const CALLS_MAX = 200_000;

/**
 * The calls that have facts but no start yet. They get a row, and become visible, when their start arrives. A flush adds its
 * calls without a start before it reads the log, and removes those whose start it has found. A start that arrives later is
 * flushed later and removes its call, so no call stays here after its start.
 */
@Injectable()
export class CallsAwaitingStart {
  constructor(private readonly redis: Redis) {}

  /** Call this before the log is read. */
  async add(calls: readonly string[], now = nowMillis()): Promise<void> {
    if (calls.length === 0) return;
    for (const batch of batches(calls)) {
      const members = batch.flatMap((hash) => [now, hash]);
      await this.redis.zadd(KEYS.awaitingStart, ...members);
    }
    await this.redis.zremrangebyscore(KEYS.awaitingStart, '-inf', now - MAX_AGE_MS);
    await this.redis.zremrangebyrank(KEYS.awaitingStart, 0, -CALLS_MAX - 1);
  }

  /** Call this when the calls have rows. */
  async remove(calls: readonly string[]): Promise<void> {
    for (const batch of batches(calls)) await this.redis.zrem(KEYS.awaitingStart, ...batch);
  }

  count(): Promise<number> {
    return this.redis.zcard(KEYS.awaitingStart);
  }
}

function* batches(calls: readonly string[]): Generator<Buffer[]> {
  for (let at = 0; at < calls.length; at += CALLS_PER_COMMAND) {
    yield calls.slice(at, at + CALLS_PER_COMMAND).map(shortHash);
  }
}
