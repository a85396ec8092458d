import { Injectable } from '@nestjs/common';
import { queueError, Redis } from '@app/redis';
import { VERSIONS_PATTERN, versionsKey } from './record-keys.js';

/** Which names Redis has the versions of. */
@Injectable()
export class VersionNames {
  constructor(private readonly redis: Redis) {}

  async isKnown(projectId: string, kind: string, objectId: string): Promise<boolean> {
    try {
      return (await this.redis.exists(versionsKey(projectId, kind, objectId))) === 1;
    } catch (error) {
      throw queueError(error);
    }
  }

  /** Of an erased project; the next publisher of a name fills it from the store, which knows nothing of it. */
  async forget(projectId: string): Promise<void> {
    const scan = this.redis.scanStream({ match: VERSIONS_PATTERN, count: 1000 });
    for await (const keys of scan as AsyncIterable<string[]>) {
      const own = keys.filter((key) => key.endsWith(`:${projectId}`));
      if (own.length > 0) await this.redis.unlink(...own);
    }
  }
}
