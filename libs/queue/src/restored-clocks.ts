import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { Micros } from '@app/wire';
import { CLOCK_SECONDS, recordClockKey } from './record-order.js';
import { KEYS } from './streams.js';

const PROJECTS_PER_PIPELINE = 1000;

/** Sets the clocks of a new Redis, so that they continue after the facts that ClickHouse has, whatever the time is here. */
@Injectable()
export class RestoredClocks {
  constructor(private readonly redis: Redis) {}

  async set(lastSeqs: ReadonlyMap<string, number>, lastFact: Micros): Promise<void> {
    const projects = [...lastSeqs];
    for (let at = 0; at < projects.length; at += PROJECTS_PER_PIPELINE) {
      const pipeline = this.redis.pipeline();
      for (const [project, seq] of projects.slice(at, at + PROJECTS_PER_PIPELINE))
        pipeline.set(recordClockKey(project), String(seq), 'EX', CLOCK_SECONDS);
      await pipeline.exec();
    }
    await this.redis.set(KEYS.factClock, String(lastFact));
  }
}
