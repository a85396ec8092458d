import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, queueError, Redis } from '@app/redis';

/**
 * hash: digest → version index of one name, `@next` → the next index, `@class` → the class that the name is bound to. It is a
 * copy of data in ClickHouse, from which a missing hash is filled.
 */
export const versionsKey = (projectId: string, kind: string, objectId: string): string =>
  `${KEY_PREFIX}:records:versions:${kind}:${objectId}:${projectId}`;

/** Copies of data in ClickHouse: versions of names, and claims of annotators. */
const COPIES = ['versions', 'claims'].map((what) => `${KEY_PREFIX}:records:${what}:*`);

/** The object names whose versions are in Redis. */
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

  /** Removes the hashes of a project of which objects or annotations were erased. */
  async forget(projectId: string): Promise<void> {
    for (const match of COPIES) {
      const scan = this.redis.scanStream({ match, count: 1000 });
      for await (const keys of scan as AsyncIterable<string[]>) {
        const own = keys.filter((key) => key.endsWith(`:${projectId}`));
        if (own.length > 0) await this.redis.unlink(...own);
      }
    }
  }
}
