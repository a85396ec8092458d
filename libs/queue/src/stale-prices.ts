import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';

/** hash: project → when one of its prices last changed (ms). The project is removed once its costs are refreshed. */
const KEY = `${KEY_PREFIX}:stale-prices`;
/** hash: project → `Refreshed` as JSON, while its costs are refreshed. */
const PROGRESS = `${KEY_PREFIX}:repricing-progress`;

/** KEYS: marks, progress. ARGV: project, its mark. */
const DELETE_IF_EQUAL = `
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0`;

interface Refreshed {
  /** Calls that were checked. */
  readonly done: number;
  readonly total: number;
}

/** How far the costs of a project are refreshed. Both numbers are 0 until that begins. */
export interface StaleCosts extends Refreshed {
  readonly changedAt: Millis;
}

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

  /** Undefined when the costs of all its calls are of the current prices. */
  async of(projectId: string): Promise<StaleCosts | undefined> {
    const [mark, progress] = await Promise.all([
      this.redis.hget(KEY, projectId),
      this.redis.hget(PROGRESS, projectId),
    ]);
    if (mark === null) return undefined;
    const { done, total } = JSON.parse(progress ?? '{"done":0,"total":0}') as Refreshed;
    return { changedAt: millis(Number(mark)), done, total };
  }

  async setProgress(projectId: string, progress: Refreshed): Promise<void> {
    await this.redis.hset(PROGRESS, projectId, JSON.stringify(progress));
  }

  /** Removes the project, unless a price has changed since. */
  async done(projectId: string, mark: string): Promise<void> {
    await this.redis.eval(DELETE_IF_EQUAL, 2, KEY, PROGRESS, projectId, mark);
  }
}
