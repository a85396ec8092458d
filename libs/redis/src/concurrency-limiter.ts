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
 * fsync. Replicas do not get them either, so limits begin from zero after a fail-over. Slots that were occupied while Redis rewrote
 * its file, or while a replica copied everything, come back with that copy and are free when their leases end.
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

const COUNTED_ALONE = counter(
  'heddle_redis_locally_limited_operations_total',
  'Operations that only this process has counted for its limits, because Redis was unavailable or refused to: it is read-only, for example.',
);

export interface ConcurrencyLimit {
  /** Such as `key` or `project`. */
  readonly of: string;
  readonly who: string;
  /** 0 means no limit. */
  readonly max: number;
}

/** Limits concurrent operations over all processes. While Redis is unavailable or read-only, each process counts its own. */
@Injectable()
export class ConcurrencyLimiter {
  /** Slots that only this process knows. */
  private readonly local = new Map<string, number>();

  constructor(private readonly redis: Redis) {}

  /** Acquires one slot of each limit, or rejects with RateLimitedError and acquires none. Resolves to their release. */
  async acquire(limits: readonly ConcurrencyLimit[], now = nowMillis()): Promise<() => void> {
    const limited = limits.filter(({ max }) => max > 0);
    if (limited.length === 0) return () => undefined;
    const lease = randomUUID();
    const keys = limited.map(({ of, who }) => concurrencyKey(of, who));
    const maximums = limited.map(({ max }) => max);
    const full = await this.tryAcquire(keys, [now, lease, now + LEASE_MS, ...maximums]);
    if (full === undefined) return this.acquireLocally(limited, keys);
    if (full > 0) throw tooMany(limited[full - 1]!);
    return () => this.release(keys, lease);
  }

  /** As `ACQUIRE`; undefined when Redis does not count them: that is no reason to stop serving. */
  private async tryAcquire(
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<number | undefined> {
    if (this.redis.status !== 'ready') return undefined;
    try {
      return (await this.redis.eval(ACQUIRE, keys.length, ...keys, ...args)) as number;
    } catch {
      return undefined;
    }
  }

  private acquireLocally(
    limited: readonly ConcurrencyLimit[],
    keys: readonly string[],
  ): () => void {
    COUNTED_ALONE.inc();
    const full = limited.find(({ max }, i) => (this.local.get(keys[i]!) ?? 0) >= max);
    if (full) throw tooMany(full);
    for (const key of keys) this.local.set(key, (this.local.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const key of keys) this.releaseLocally(key);
    };
  }

  private releaseLocally(key: string): void {
    const left = (this.local.get(key) ?? 1) - 1;
    if (left > 0) this.local.set(key, left);
    else this.local.delete(key);
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
