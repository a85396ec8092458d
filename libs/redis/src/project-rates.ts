import type { Redis } from 'ioredis';
import type { ProjectLimitsConfig } from '@app/config';
import { RateLimit } from './rate-limit.js';

/** How often and with how much everybody together may come to one project. */
export class ProjectRates {
  private readonly requests: RateLimit;
  private readonly bytes: RateLimit;
  private readonly facts: RateLimit;

  constructor(redis: Redis, config: ProjectLimitsConfig) {
    this.requests = new RateLimit(redis, {
      name: 'project-requests',
      points: config.maxRequestsPerSecond,
      seconds: 1,
      sentence: `This project may get ${config.maxRequestsPerSecond} requests in a second; send it again a little later.`,
    });
    this.bytes = new RateLimit(redis, {
      name: 'project-bytes',
      points: config.maxBytesPerSecond,
      seconds: 1,
      sentence: `This project may get ${config.maxBytesPerSecond} bytes in a second; send it again a little later.`,
    });
    this.facts = new RateLimit(redis, {
      name: 'project-facts',
      points: config.maxFactsPerSecond,
      seconds: 1,
      sentence: `This project may get ${config.maxFactsPerSecond} facts about calls in a second; send it again a little later.`,
    });
  }

  /** Throws RateLimitedError before anything is done. */
  async take(projectId: string, { bytes = 0, facts = 0 } = {}): Promise<void> {
    await this.requests.take(projectId);
    await this.bytes.take(projectId, bytes);
    await this.facts.take(projectId, facts);
  }
}
