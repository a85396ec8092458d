import { Inject, Injectable } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { queueError, RateLimit, Redis, REDIS_CONFIG } from '@app/redis';
import { ConfusableProjectError, flawOf } from './confusable-project.js';
import { STREAM_KEYS } from './streams.js';

/** Projects that this process knows. An older one is looked up again. */
const KNOWN_MAX = 10_000;

/**
 * Refuses new projects whose id could be mistaken for another, and limits the projects that one user creates in an hour. Every project has counters in Redis and rows in ClickHouse, so a client that
 * makes up names would fill both. A project exists when Redis counts facts of it.
 */
@Injectable()
export class NewProjects {
  /** In the order of their last use. */
  private readonly known = new Set<string>();
  private readonly limit: RateLimit;
  private readonly isLimited: boolean;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { limits }: Pick<RedisConfig, 'limits'>,
  ) {
    const { maxNewPerHour } = limits;
    this.isLimited = maxNewPerHour > 0;
    this.limit = new RateLimit(redis, {
      name: 'new-projects',
      points: maxNewPerHour,
      seconds: 3600,
      message: `A user may create ${maxNewPerHour} projects per hour; retry later.`,
    });
  }

  /**
   * Rejects with ConfusableProjectError when the id of a new project is confusable, and with RateLimitedError when some of the
   * projects are new and too many were created.
   */
  async admit(userId: string, projectIds: Iterable<string>): Promise<void> {
    const unknown = [...projectIds].filter((project) => project !== '' && !this.isKnown(project));
    if (unknown.length === 0) return;
    const isCounted = await this.areCounted(unknown);
    const created = unknown.filter((_, i) => !isCounted[i]);
    for (const project of created) refuseConfusable(project);
    if (this.isLimited) await this.limit.consume(userId, created.length);
    for (const project of unknown) this.remember(project);
  }

  private isKnown(project: string): boolean {
    if (!this.known.delete(project)) return false;
    this.known.add(project);
    return true;
  }

  private remember(project: string): void {
    this.known.add(project);
    if (this.known.size > KNOWN_MAX) this.known.delete(this.known.values().next().value!);
  }

  private async areCounted(projects: readonly string[]): Promise<boolean[]> {
    const fields = projects.map((project) => `received:${project}`);
    try {
      const counts = await Promise.all(
        Object.values(STREAM_KEYS).map(({ ledger }) => this.redis.hmget(ledger, ...fields)),
      );
      return projects.map((_, i) => counts.some((stream) => stream[i] !== null));
    } catch (error) {
      throw queueError(error);
    }
  }
}

function refuseConfusable(projectId: string): void {
  const flaw = flawOf(projectId);
  if (flaw !== undefined) throw new ConfusableProjectError(projectId, flaw);
}
