import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis } from '@app/wire';

const PROJECTS = `${KEY_PREFIX}:recent-erasures`;
/** A worker that was paused for longer has lost its connections, and with them its inserts. */
const RECENT_MS = 86_400_000;
/** One erasure is one entry, so only a script that erases without end reaches this number. */
const MAX_PROJECTS = 10_000;

/** The projects of which something was erased in the last day, in Redis. */
@Injectable()
export class RecentErasures {
  constructor(private readonly redis: Redis) {}

  async add(projectId: string, now = nowMillis()): Promise<void> {
    await this.redis
      .multi()
      .zadd(PROJECTS, now, projectId)
      .zremrangebyrank(PROJECTS, 0, -1 - MAX_PROJECTS)
      .pexpire(PROJECTS, RECENT_MS)
      .exec();
  }

  async projects(now = nowMillis()): Promise<string[]> {
    await this.redis.zremrangebyscore(PROJECTS, '-inf', String(now - RECENT_MS));
    return this.redis.zrange(PROJECTS, '0', '-1');
  }
}
