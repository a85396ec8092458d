import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { KEYS } from './queue-keys.js';
import { shortHash } from './short-hash.js';

const CALLS_PER_COMMAND = 10_000;

/** Calls that have facts but no start yet: nobody sees them, and nobody forgets them. */
@Injectable()
export class CallsAwaitingStart {
  constructor(private readonly redis: Redis) {}

  async update(held: readonly string[], released: readonly string[]): Promise<void> {
    for (const some of slices(held)) await this.redis.sadd(KEYS.held, ...some);
    for (const some of slices(released)) await this.redis.srem(KEYS.held, ...some);
  }

  count(): Promise<number> {
    return this.redis.scard(KEYS.held);
  }
}

function* slices(calls: readonly string[]): Generator<Buffer[]> {
  for (let at = 0; at < calls.length; at += CALLS_PER_COMMAND) {
    yield calls.slice(at, at + CALLS_PER_COMMAND).map(shortHash);
  }
}
