import { Injectable } from '@nestjs/common';
import { recordClockKey } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';
import { MAX_FLUSH_MS } from '../pipeline/flush-age.js';
import type { RecentErasure } from './late-rows.sql.js';

/** sorted set: projects, by the time of their last erasure. */
const PROJECTS = `${KEY_PREFIX}:recent-erasures`;
/** sorted set: erasures whose records are still to be checked, by their time. */
const UNCHECKED = `${KEY_PREFIX}:unchecked-erasures`;
/** For how long calls that a client sends again are deleted again. */
const RECENT_MS = 86_400_000;
/** After this time no worker continues a flush from before: an attempt may begin after an hour, and take another one. */
const FINAL_CHECK_MS = 2 * MAX_FLUSH_MS + 600_000;
/** Most pauses are short. */
const FIRST_CHECKS_MS = 1_200_000;
/** One erasure is one entry, so only a script that erases without end reaches this number. */
const MAX_ENTRIES = 10_000;

/** What was erased lately, in Redis. */
@Injectable()
export class RecentErasures {
  constructor(private readonly redis: Redis) {}

  async add(erasure: RecentErasure): Promise<void> {
    const now = erasure.at;
    const entry = JSON.stringify(erasure);
    await this.redis
      .multi()
      .zadd(PROJECTS, now, erasure.target.projectId)
      .zremrangebyrank(PROJECTS, 0, -1 - MAX_ENTRIES)
      .pexpire(PROJECTS, RECENT_MS)
      .zadd(UNCHECKED, now, entry)
      .zremrangebyrank(UNCHECKED, 0, -1 - MAX_ENTRIES)
      .pexpire(UNCHECKED, 7 * RECENT_MS)
      .exec();
  }

  /** The projects of which something was erased in the last day. */
  async projects(now = nowMillis()): Promise<string[]> {
    await this.redis.zremrangebyscore(PROJECTS, '-inf', String(now - RECENT_MS));
    return this.redis.zrange(PROJECTS, '0', '-1');
  }

  /** The erasures to check now: those of the last minutes, and those that no flush can have been paused since. */
  async unchecked(now = nowMillis()): Promise<RecentErasure[]> {
    const [recent, final] = await Promise.all([
      this.redis.zrangebyscore(UNCHECKED, now - FIRST_CHECKS_MS, '+inf'),
      this.redis.zrangebyscore(UNCHECKED, '-inf', now - FINAL_CHECK_MS),
    ]);
    return [...recent, ...final].map((entry) => JSON.parse(entry) as RecentErasure);
  }

  /** Forgets an erasure whose last check is done. */
  async recordChecked(erasure: RecentErasure, now: Millis = nowMillis()): Promise<void> {
    if (erasure.at <= now - FINAL_CHECK_MS)
      await this.redis.zrem(UNCHECKED, JSON.stringify(erasure));
  }

  /** The `seq` of the project's last record; undefined if Redis does not know it. */
  async lastSeq(projectId: string): Promise<number | undefined> {
    const seq = await this.redis.get(recordClockKey(projectId));
    return seq === null ? undefined : Number(seq);
  }
}
