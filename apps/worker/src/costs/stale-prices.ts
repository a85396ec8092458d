import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';

/** hash: project → how often its prices have changed since its costs were computed. */
const KEY = `${KEY_PREFIX}:stale-prices`;

const DELETE_IF_EQUAL = `if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end return 0`;

/** Projects whose prices have changed since the costs in their rows were computed. */
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

  /** Removes the project, unless its prices have changed again. */
  async done(projectId: string, mark: string): Promise<void> {
    await this.redis.eval(DELETE_IF_EQUAL, 1, KEY, projectId, mark);
  }
}
