import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';

/** hash: project → how often its prices have changed since its costs were refreshed. */
const KEY = `${KEY_PREFIX}:stale-prices`;

const FORGET = `if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end return 0`;

/** Projects whose calls carry costs of yesterday's prices. */
@Injectable()
export class StalePrices {
  constructor(private readonly redis: Redis) {}

  async mark(projectIds: Iterable<string>): Promise<void> {
    for (const projectId of new Set(projectIds)) await this.redis.hincrby(KEY, projectId, 1);
  }

  async all(): Promise<{ projectId: string; mark: string }[]> {
    const marks = await this.redis.hgetall(KEY);
    return Object.entries(marks).map(([projectId, mark]) => ({ projectId, mark }));
  }

  /** Forgets the project, unless it has been marked again. */
  async done(projectId: string, mark: string): Promise<void> {
    await this.redis.eval(FORGET, 1, KEY, projectId, mark);
  }
}
