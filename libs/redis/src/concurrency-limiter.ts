import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { counter } from '@app/observability';
import { nowMillis } from '@app/wire';
import { KEY_PREFIX, keyPart } from './redis-keys.js';
import { RateLimitedError } from './rate-limit.js';

/** A slot whose process died without releasing it is free again after this. */
const LEASE_MS = 300_000;

/**
 * Slots need not survive a restart of Redis, so they are not written to the append-only file: otherwise every read would wait for an
 * fsync. Replicas do not get them either, so limits begin from zero after a fail-over.
 */
const IN_MEMORY_ONLY = 'redis.set_repl(redis.REPL_NONE)';

/** Acquires all slots or none. Returns the index of the first limit that is reached, else 0. */
const ACQUIRE = `${IN_MEMORY_ONLY}
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

const RELEASE = `${IN_MEMORY_ONLY}
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end`;

const UNLIMITED = counter(
  'heddle_redis_unlimited_operations_total',
  'Operations that were not limited, because Redis refused to count them: it is read-only, for example.',
);

export interface ConcurrencyLimit {
  /** Such as `key` or `project`. */
  readonly of: string;
  readonly who: string;
  /** 0 means no limit. */
  readonly max: number;
}

/** Limits concurrent operations over all processes. While Redis is unavailable or read-only there is no limit. */
@Injectable()
export class ConcurrencyLimiter {
  constructor(private readonly redis: Redis) {}

  /** Acquires one slot of each limit, or rejects with RateLimitedError and acquires none. Resolves to their release. */
  async acquire(limits: readonly ConcurrencyLimit[], now = nowMillis()): Promise<() => void> {
    const limited = limits.filter(({ max }) => max > 0);
    if (limited.length === 0 || this.redis.status !== 'ready') return () => undefined;
    const lease = randomUUID();
    const keys = limited.map(({ of, who }) => concurrencyKey(of, who));
    const maximums = limited.map(({ max }) => max);
    const full = await this.tryAcquire(keys, [now, lease, now + LEASE_MS, ...maximums]);
    if (full > 0) throw tooMany(limited[full - 1]!);
    return () => this.release(keys, lease);
  }

  /** 0 when all slots are acquired, or when Redis cannot count them: a limit is no reason to stop serving. */
  private async tryAcquire(
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<number> {
    try {
      return (await this.redis.eval(ACQUIRE, keys.length, ...keys, ...args)) as number;
    } catch {
      UNLIMITED.inc();
      return 0;
    }
  }

  /** Not awaited. If the command fails, the slot is free when its lease ends. */
  private release(keys: readonly string[], lease: string): void {
    this.redis.eval(RELEASE, keys.length, ...keys, lease).catch(() => undefined);
  }
}

const concurrencyKey = (of: string, who: string): string =>
  `${KEY_PREFIX}:concurrency:${of}:${keyPart(who)}`;

function tooMany({ of, max }: ConcurrencyLimit): RateLimitedError {
  const reason = `This ${of} has ${max} queries in progress, which is its limit; wait for one to end.`;
  return new RateLimitedError(reason, 1);
}
