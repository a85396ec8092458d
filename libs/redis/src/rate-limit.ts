import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConfig } from '@app/config';
import { HeddleError } from '@app/errors';
import { KEY_PREFIX, keyPart } from './redis-keys.js';
import { REDIS_CONFIG } from './redis-config.js';

/** A client has exceeded a rate limit; the request had no effect. */
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
/** Of one request, in one round trip. */
const PROJECTS_AT_ONCE = 100;

export interface RateLimitOptions {
  /** Part of the keys in Redis. */
  readonly name: string;
  /** 0 means no limit. */
  readonly points: number;
  readonly seconds: number;
  /** The message of the error. */
  readonly message: string;
}

/**
 * Limits the points that one subject consumes in a time window, counted in Redis over all processes. While Redis is
 * unavailable this process counts in memory, because a limit is no reason to stop serving.
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

  /** Rejects with RateLimitedError when too few points are left. More points than the limit count as the limit. */
  async consume(subject: string, points = 1): Promise<void> {
    if (this.limiter === undefined || points <= 0) return;
    this.refuseBlocked(subject, points);
    try {
      await this.limiter.consume(keyPart(subject), this.capped(points));
    } catch (error) {
      throw error instanceof RateLimiterRes ? this.block(subject, error.msBeforeNext) : error;
    }
  }

  /** Throws RateLimitedError if this process knows that no points are left. Does not use Redis. */
  refuseBlocked(subject: string, points = 1): void {
    if (points <= 0) return;
    const ms = (this.blockedUntil.get(subject) ?? 0) - Date.now();
    if (ms > 0) throw this.tooMany(ms);
  }

  private block(subject: string, ms: number): RateLimitedError {
    if (this.blockedUntil.size >= BLOCKED_MAX) this.blockedUntil.clear();
    this.blockedUntil.set(subject, Date.now() + ms);
    return this.tooMany(ms);
  }

  private capped(points: number): number {
    return Math.min(points, this.options.points);
  }

  private tooMany(ms: number): RateLimitedError {
    return new RateLimitedError(this.options.message, Math.max(1, Math.ceil(ms / 1000)));
  }
}

/** Limits requests, bytes and facts per second of one project, and its rejected items per hour, over all clients. */
@Injectable()
export class ProjectRates {
  private readonly requests: RateLimit;
  private readonly bytes: RateLimit;
  private readonly facts: RateLimit;
  private readonly rejected: RateLimit;

  constructor(redis: Redis, @Inject(REDIS_CONFIG) { limits }: Pick<RedisConfig, 'limits'>) {
    this.requests = new RateLimit(redis, {
      name: 'project-requests',
      points: limits.maxRequestsPerSecond,
      seconds: 1,
      message: `This project may get ${limits.maxRequestsPerSecond} requests per second; retry later.`,
    });
    this.bytes = new RateLimit(redis, {
      name: 'project-bytes',
      points: limits.maxBytesPerSecond,
      seconds: 1,
      message: `This project may get ${limits.maxBytesPerSecond} bytes per second; retry later.`,
    });
    this.facts = new RateLimit(redis, {
      name: 'project-facts',
      points: limits.maxFactsPerSecond,
      seconds: 1,
      message: `This project may get ${limits.maxFactsPerSecond} facts about calls per second; retry later.`,
    });
    this.rejected = new RateLimit(redis, {
      name: 'project-rejected',
      points: limits.maxRejectedPerHour,
      seconds: 3600,
      message: `Of one project, ${limits.maxRejectedPerHour} invalid items per hour are kept as dead letters; correct the items, or retry later.`,
    });
  }

  /** Rejects with RateLimitedError when a limit is exceeded; what it consumed of the others is not given back. */
  async consume(projectId: string, { bytes = 0, facts = 0 } = {}): Promise<void> {
    const limits = [
      [this.requests, 1],
      [this.bytes, bytes],
      [this.facts, facts],
    ] as const;
    // A request that one limit refuses without Redis does not use Redis for the others.
    for (const [limit, points] of limits) limit.refuseBlocked(projectId, points);
    await Promise.all(limits.map(([limit, points]) => limit.consume(projectId, points)));
  }

  /** The same for what a request has of each project. */
  async consumeAll(
    loads: ReadonlyMap<string, { readonly bytes: number; readonly facts: number }>,
  ): Promise<void> {
    const all = [...loads];
    for (let at = 0; at < all.length; at += PROJECTS_AT_ONCE) {
      const some = all.slice(at, at + PROJECTS_AT_ONCE);
      await Promise.all(some.map(([project, load]) => this.consume(project, load)));
    }
  }

  /** Rejects with RateLimitedError when a project, or a user with items of no project, has sent too many invalid items. */
  consumeRejected(projectId: string, userId: string, items: number): Promise<void> {
    return this.rejected.consume(projectId === '' ? `user ${userId}` : projectId, items);
  }
}
