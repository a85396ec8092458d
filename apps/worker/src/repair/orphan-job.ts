import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { CallsQueue, IdleRecords, RecordsQueue } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { LOGGER } from '../tokens.js';

/** Keys of earlier versions that nothing reads any more: the calls that await their start, as a set, under both its names. */
const OLD_KEYS = ['awaiting-start', 'held'].map((name) => `${KEY_PREFIX}:${name}`);

/** Removes payloads from Redis that no chunk names, counts of idle projects, and keys of earlier versions. */
@Injectable()
export class OrphanJob {
  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
    private readonly idle: IdleRecords,
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    await this.redis.unlink(...OLD_KEYS);
    const orphans = (await this.calls.sweepOrphans()) + (await this.records.sweepOrphans());
    await this.idle.forget();
    if (orphans > 0) this.logger.warn('Payloads without a job were removed.', { orphans });
  }
}
