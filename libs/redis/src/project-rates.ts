import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import { RateLimit } from './rate-limit.js';
import { REDIS_CONFIG } from './redis-config.js';

/** Limits requests, bytes and facts per second of one project, over all clients. */
@Injectable()
export class ProjectRates {
  private readonly requests: RateLimit;
  private readonly bytes: RateLimit;
  private readonly facts: RateLimit;

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
  }

  /** Rejects with RateLimitedError when a limit is exceeded. */
  async consume(projectId: string, { bytes = 0, facts = 0 } = {}): Promise<void> {
    await this.requests.consume(projectId);
    await this.bytes.consume(projectId, bytes);
    await this.facts.consume(projectId, facts);
  }
}
