import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { HeddleError } from '@app/errors';
import { KEY_PREFIX, keyPart } from './redis-keys.js';

/** Somebody asks for more than they may have; nothing was done. */
export class RateLimitedError extends HeddleError {
  readonly code = 'rate_limited';
  constructor(
    message: string,
    override readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

const BLOCKED_MAX = 10_000;

export interface RateLimitOptions {
  /** Tells limits apart in Redis. */
  readonly name: string;
  /** 0 is no limit. */
  readonly points: number;
  readonly seconds: number;
  /** What is said to somebody over the limit. */
  readonly sentence: string;
}

/**
 * So many points for each in a stretch of time, counted in Redis for all processes together. While Redis is away this
 * process counts alone: a limit is no reason to stop serving.
 */
export class RateLimit {
  private readonly blockedUntil = new Map<string, number>();
  private readonly limiter: RateLimiterRedis | undefined;

  constructor(
    redis: Redis,
    private readonly options: RateLimitOptions,
  ) {
    const { name, points, seconds: duration } = options;
    if (points === 0) return;
    this.limiter = new RateLimiterRedis({
      storeClient: redis,
      rejectIfRedisNotReady: true,
      keyPrefix: `${KEY_PREFIX}:limit:${name}`,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ points, duration }),
    });
  }

  /** Resolves when there were enough points left, else throws RateLimitedError. What is larger than all points takes all. */
  async take(who: string, points = 1): Promise<void> {
    if (this.limiter === undefined || points <= 0) return;
    this.refuseBlocked(who);
    try {
      await this.limiter.consume(keyPart(who), this.capped(points));
    } catch (error) {
      throw error instanceof RateLimiterRes ? this.block(who, error.msBeforeNext) : error;
    }
  }

  /** Throws RateLimitedError while it is known here that nothing is left; asks nobody. */
  refuseBlocked(who: string): void {
    const ms = (this.blockedUntil.get(who) ?? 0) - Date.now();
    if (ms > 0) throw this.tooMany(ms);
  }

  private block(who: string, ms: number): RateLimitedError {
    if (this.blockedUntil.size >= BLOCKED_MAX) this.blockedUntil.clear();
    this.blockedUntil.set(who, Date.now() + ms);
    return this.tooMany(ms);
  }

  private capped(points: number): number {
    return Math.min(points, this.options.points);
  }

  private tooMany(ms: number): RateLimitedError {
    return new RateLimitedError(this.options.sentence, Math.max(1, Math.ceil(ms / 1000)));
  }
}
