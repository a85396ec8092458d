import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { flawOf } from './confusable-project.js';
import { CLOCK_SECONDS, recordClockKey } from './record-order.js';
import { RECORDS_STREAM } from './streams.js';

const { ledger } = RECORDS_STREAM.keys;
const FIELDS = 'settled:';
const PAGE = 500;
/** Bounds one run; the next one continues after it. */
const PAGES_PER_RUN = 40;

/**
 * KEYS: ledger, clock. ARGV: project, seconds. Removes the counts of a project whose clock has expired and whose facts are all
 * settled. Returns how many it has removed. A clock of an earlier version has no expiry and gets one.
 */
const FORGET = `
local left = redis.call('TTL', KEYS[2])
if left == -1 then redis.call('EXPIRE', KEYS[2], ARGV[2]) end
if left ~= -2 then return 0 end
local received = redis.call('HGET', KEYS[1], 'received:' .. ARGV[1])
if received ~= redis.call('HGET', KEYS[1], 'settled:' .. ARGV[1]) then return 0 end
return redis.call('HDEL', KEYS[1], 'received:' .. ARGV[1], 'settled:' .. ARGV[1]) / 2`;

/** Removes the counts of projects that got no record for a month, so that they take no memory of Redis. */
@Injectable()
export class IdleRecords {
  private cursor = '0';

  constructor(private readonly redis: Redis) {}

  /** Resolves to the number of projects that were removed. */
  async forget(): Promise<number> {
    let removed = 0;
    for (let page = 0; page < PAGES_PER_RUN; page++) {
      const [cursor, found] = await this.redis.hscan(
        ...([ledger, this.cursor, 'MATCH', `${FIELDS}*`, 'COUNT', PAGE] as const),
      );
      removed += await this.forgetIdle(found.filter((_, i) => i % 2 === 0));
      this.cursor = cursor;
      if (cursor === '0') break;
    }
    return removed;
  }

  private async forgetIdle(fields: readonly string[]): Promise<number> {
    const pipeline = this.redis.pipeline();
    for (const field of fields) {
      const project = field.slice(FIELDS.length);
      // Ingest knows by these counts that a project with a confusable id exists already.
      if (flawOf(project) !== undefined) continue;
      pipeline.eval(FORGET, 2, ledger, recordClockKey(project), project, CLOCK_SECONDS);
    }
    const replies = (await pipeline.exec()) ?? [];
    return replies.reduce((sum, [error, removed]) => {
      if (error) throw error;
      return sum + Number(removed);
    }, 0);
  }
}
