import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { queueProblem } from './queue-problems.js';
import { versionsKey } from './record-keys.js';

/** Which names Redis has the versions of. */
@Injectable()
export class VersionNames {
  constructor(private readonly redis: Redis) {}

  async isKnown(projectId: string, kind: string, objectId: string): Promise<boolean> {
    try {
      return (await this.redis.exists(versionsKey(projectId, kind, objectId))) === 1;
    } catch (error) {
      throw queueProblem(error);
    }
  }
}
