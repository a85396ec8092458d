import type { Redis } from '@app/redis';
import type { PendingChunk } from './chunks.js';
import type { StreamKeys } from './streams.js';

/** Moves an entry that is still as it was read. KEYS: old entries, entries. ARGV: chunk id, old and new entry. */
const MOVE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 1`;

/**
 * The pending chunks of builds before version 0.1.0, which had their entries under another key. Payloads, jobs and counts have the same keys,
 * so a chunk can be settled once its entry is moved.
 */
export class FirstPendingChunks {
  constructor(
    private readonly redis: Redis,
    private readonly keys: StreamKeys,
    /** For entries of records, which did not name their queue. */
    private readonly queue: string,
  ) {}

  async has(chunkId: string): Promise<boolean> {
    return (await this.redis.hexists(this.keys.firstPendingChunks, chunkId)) === 1;
  }

  /** Resolves to false when there is no such chunk. */
  async adopt(chunkId: string): Promise<boolean> {
    const { firstPendingChunks, pendingChunks } = this.keys;
    const old = await this.redis.hget(firstPendingChunks, chunkId);
    if (old === null) return false;
    const entry = JSON.stringify({ queue: this.queue, bytes: {}, ...(JSON.parse(old) as Entry) });
    const keys = [firstPendingChunks, pendingChunks];
    return (await this.redis.eval(MOVE, keys.length, ...keys, chunkId, old, entry)) === 1;
  }

  /** Costs one command when there are none. */
  async adoptAll(): Promise<void> {
    const chunkIds = await this.redis.hkeys(this.keys.firstPendingChunks);
    for (const chunkId of chunkIds) await this.adopt(chunkId);
  }
}

/** Records had neither queue nor bytes. */
type Entry = Pick<PendingChunk, 'facts' | 'pending'> & Partial<PendingChunk>;
