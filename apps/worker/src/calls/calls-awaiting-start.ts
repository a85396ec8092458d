import { Injectable } from '@nestjs/common';
import { KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { shortHash } from './short-hash.js';

const CALLS_PER_COMMAND = 10_000;

/** The set of calls that have facts but no start yet. They get a row, and become visible, when their start arrives. */
@Injectable()
export class CallsAwaitingStart {
  constructor(private readonly redis: Redis) {}

  async update(awaiting: readonly string[], started: readonly string[]): Promise<void> {
    for (const batch of batches(awaiting)) await this.redis.sadd(KEYS.awaitingStart, ...batch);
    for (const batch of batches(started)) await this.redis.srem(KEYS.awaitingStart, ...batch);
  }

  count(): Promise<number> {
    return this.redis.scard(KEYS.awaitingStart);
  }
}

function* batches(calls: readonly string[]): Generator<Buffer[]> {
  for (let at = 0; at < calls.length; at += CALLS_PER_COMMAND) {
    yield calls.slice(at, at + CALLS_PER_COMMAND).map(shortHash);
  }
}
