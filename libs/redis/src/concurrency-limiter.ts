import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { nowMillis } from '@app/wire';
import { KEY_PREFIX, keyPart } from './redis-keys.js';
import { RateLimitedError } from './rate-limit.js';

/** A slot that nobody gave back, because its process died, is free again after this. */
const LEASE_MS = 300_000;

/** All of the slots or none: the place in the list that is full, else 0. */
const TAKE = `
local now, lease, expires = tonumber(ARGV[1]), ARGV[2], ARGV[3]
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if redis.call('ZCARD', key) >= tonumber(ARGV[3 + i]) then return i end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, expires, lease)
  redis.call('PEXPIREAT', key, expires)
end
return 0`;

export interface ConcurrencyLimit {
  /** Such as `key` or `project`. */
  readonly of: string;
  readonly who: string;
  /** How many at the same time; 0 is any number. */
  readonly max: number;
}

/** How much may be under way at the same time, over all processes. While Redis is away nobody counts. */
@Injectable()
export class ConcurrencyLimiter {
  constructor(private readonly redis: Redis) {}

  /** Takes one of each, or throws RateLimitedError and takes none. Resolves to how they are given back. */
  async acquire(slots: readonly ConcurrencyLimit[], now = nowMillis()): Promise<() => void> {
    const limited = slots.filter(({ max }) => max > 0);
    if (limited.length === 0 || this.redis.status !== 'ready') return () => undefined;
    const lease = randomUUID();
    const keys = limited.map(({ of, who }) => slotsKey(of, who));
    const maxima = limited.map(({ max }) => max);
    const args = [now, lease, now + LEASE_MS, ...maxima];
    const full = (await this.redis.eval(TAKE, keys.length, ...keys, ...args)) as number;
    if (full > 0) throw tooMany(limited[full - 1]!);
    return () => this.giveBack(keys, lease);
  }

  /** Nobody waits for it; what Redis does not hear of ends with its lease. */
  private giveBack(keys: readonly string[], lease: string): void {
    for (const key of keys) this.redis.zrem(key, lease).catch(() => undefined);
  }
}

const slotsKey = (of: string, who: string): string => `${KEY_PREFIX}:slots:${of}:${keyPart(who)}`;

function tooMany({ of, max }: ConcurrencyLimit): RateLimitedError {
  const reason = `This ${of} has ${max} queries in progress, which is its limit; wait for one to end.`;
  return new RateLimitedError(reason, 1);
}
