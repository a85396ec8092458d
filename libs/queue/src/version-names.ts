import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, queueError, Redis } from '@app/redis';

/**
 * hash: digest → version index of one name, `@next` the next index, `@class` the class the name is bound to. A copy of
 * what ClickHouse holds, where publishing is decided. When Redis has lost it, it is filled from ClickHouse.
 */
export const versionsKey = (projectId: string, kind: string, objectId: string): string =>
  `${KEY_PREFIX}:records:versions:${kind}:${objectId}:${projectId}`;

const VERSIONS_PATTERN = `${KEY_PREFIX}:records:versions:*`;

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
