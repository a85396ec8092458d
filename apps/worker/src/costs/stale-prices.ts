import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis } from '@app/wire';

/** hash: project → when one of its prices last changed (ms). The project is removed once its costs are refreshed. */
const KEY = `${KEY_PREFIX}:stale-prices`;

const DELETE_IF_EQUAL = `if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end return 0`;

/** Projects whose calls have costs of older prices. */
@Injectable()
export class StalePrices {
  constructor(private readonly redis: Redis) {}

  async mark(projectIds: Iterable<string>, now = nowMillis()): Promise<void> {
    for (const projectId of new Set(projectIds)) await this.redis.hset(KEY, projectId, now);
  }

  /** Each project with the time of its last change, as text. */
  async all(): Promise<{ projectId: string; mark: string }[]> {
    const marks = await this.redis.hgetall(KEY);
    return Object.entries(marks).map(([projectId, mark]) => ({ projectId, mark }));
  }

  /** Removes the project, unless a price has changed since. */
  async done(projectId: string, mark: string): Promise<void> {
    await this.redis.eval(DELETE_IF_EQUAL, 1, KEY, projectId, mark);
  }
}
