import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, keyPart, queueError, Redis } from '@app/redis';

/**
 * hash: the annotator who claimed or finished an item last (`user`), the `state` and when (`at`, microseconds). It is a copy of
 * data in ClickHouse, from which a missing hash is filled, and it expires with the claim.
 */
export const claimKey = (projectId: string, itemId: string): string =>
  `${KEY_PREFIX}:records:claims:${keyPart(itemId)}:${projectId}`;

/** The items of annotation queues whose claims are in Redis. */
@Injectable()
export class ItemClaims {
  constructor(private readonly redis: Redis) {}

  async isKnown(projectId: string, itemId: string): Promise<boolean> {
    try {
      return (await this.redis.exists(claimKey(projectId, itemId))) === 1;
    } catch (error) {
      throw queueError(error);
    }
  }
}
