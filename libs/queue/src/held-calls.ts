import type { Redis } from 'ioredis';
import { KEYS } from './queue-keys.js';

/** Calls that have facts but no start yet: nobody sees them, and nobody forgets them. */
export class Held {
  constructor(private readonly redis: Redis) {}

  async update(held: readonly string[], released: readonly string[]): Promise<void> {
    if (held.length > 0) await this.redis.sadd(KEYS.held, ...held);
    if (released.length > 0) await this.redis.srem(KEYS.held, ...released);
  }

  count(): Promise<number> {
    return this.redis.scard(KEYS.held);
  }
}
