import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, Redis } from '@app/redis';

const KEY = `${KEY_PREFIX}:old-parts-removal`;

/**
 * Says that tables may have the settings of a removal of old parts. ClickHouse changes its memory before the definition of a table, and a
 * full disk may prevent the second: then `system.tables` does not show what applies.
 */
@Injectable()
export class RemovalMark {
  constructor(private readonly redis: Redis) {}

  async set(): Promise<void> {
    await this.redis.set(KEY, '1');
  }

  async isSet(): Promise<boolean> {
    return (await this.redis.exists(KEY)) > 0;
  }

  async clear(): Promise<void> {
    await this.redis.del(KEY);
  }
}
