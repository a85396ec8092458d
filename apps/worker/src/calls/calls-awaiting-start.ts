import { Injectable } from '@nestjs/common';
import { KEYS } from '@app/queue';
import { Redis } from '@app/redis';
import { shortHash } from './short-hash.js';

const CALLS_PER_COMMAND = 10_000;

/** Calls that have facts but no start yet. No read shows them; they wait until their start arrives. */
@Injectable()
export class CallsAwaitingStart {
  constructor(private readonly redis: Redis) {}

  async update(awaiting: readonly string[], started: readonly string[]): Promise<void> {
    for (const some of slices(awaiting)) await this.redis.sadd(KEYS.awaitingStart, ...some);
    for (const some of slices(started)) await this.redis.srem(KEYS.awaitingStart, ...some);
  }

  count(): Promise<number> {
    return this.redis.scard(KEYS.awaitingStart);
  }
}

function* slices(calls: readonly string[]): Generator<Buffer[]> {
  for (let at = 0; at < calls.length; at += CALLS_PER_COMMAND) {
    yield calls.slice(at, at + CALLS_PER_COMMAND).map(shortHash);
  }
}
