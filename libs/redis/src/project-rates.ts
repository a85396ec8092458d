import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import { RateLimit } from './rate-limit.js';
import { REDIS_CONFIG } from './redis-config.js';

/** How often and with how much everybody together may come to one project. */
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
      sentence: `This project may get ${limits.maxRequestsPerSecond} requests in a second; send it again a little later.`,
    });
    this.bytes = new RateLimit(redis, {
      name: 'project-bytes',
      points: limits.maxBytesPerSecond,
      seconds: 1,
      sentence: `This project may get ${limits.maxBytesPerSecond} bytes in a second; send it again a little later.`,
    });
    this.facts = new RateLimit(redis, {
      name: 'project-facts',
      points: limits.maxFactsPerSecond,
      seconds: 1,
      sentence: `This project may get ${limits.maxFactsPerSecond} facts about calls in a second; send it again a little later.`,
    });
  }

  /** Throws RateLimitedError before anything is done. */
  async take(projectId: string, { bytes = 0, facts = 0 } = {}): Promise<void> {
    await this.requests.take(projectId);
    await this.bytes.take(projectId, bytes);
    await this.facts.take(projectId, facts);
  }
}
