import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { Redis } from '@app/redis';
import type { PendingChunk } from './chunks.js';
import { repliesOf } from './queue-transaction.js';
import { STREAM_KEYS, type StreamName } from './streams.js';

const SCAN_COUNT = 100;

/** A chunk that is not settled, with everything that a worker needs to store it. */
export interface SavedChunk {
  readonly stream: StreamName;
  readonly id: string;
  /** When it was received (ms). */
  readonly receivedAt: number;
  readonly chunk: PendingChunk;
  readonly payload: Buffer;
}

/** Their entries have another form, which the reconciler of a worker changes. */
class OldChunksPendingError extends HeddleError {
  readonly code = 'backup_failed';

  constructor() {
    super('Chunks of an earlier build are pending; let a worker of this version run for a minute.');
  }
}

/** Copies the chunks that are not settled out of Redis, and into another. */
@Injectable()
export class PendingChunks {
  constructor(private readonly redis: Redis) {}

  /**
   * Every chunk that was received before the call and is not settled when it is read. A chunk that is missing here is therefore
   * stored in ClickHouse when the last one is read. Some may be settled, or received, meanwhile.
   */
  async *all(): AsyncGenerator<SavedChunk> {
    for (const { firstPendingChunks } of Object.values(STREAM_KEYS))
      if ((await this.redis.hlen(firstPendingChunks)) > 0) throw new OldChunksPendingError();
    for (const stream of Object.keys(STREAM_KEYS) as StreamName[]) {
      const seen = new Set<string>();
      const scan = this.redis.hscanStream(STREAM_KEYS[stream].pendingChunks, { count: SCAN_COUNT });
      for await (const page of scan as AsyncIterable<string[]>) {
        for (let i = 0; i < page.length; i += 2) {
          const [id, text] = [page[i]!, page[i + 1]!];
          // HSCAN may return a field twice.
          if (seen.has(id)) continue;
          seen.add(id);
          const saved = await this.read(stream, id, text);
          if (saved !== undefined) yield saved;
        }
      }
    }
  }

  /** Adds a chunk without a job, which the reconciler adds. The chunk counts as received. */
  async add({ stream, id, receivedAt, chunk, payload }: SavedChunk): Promise<void> {
    const keys = STREAM_KEYS[stream];
    const commands = this.redis.multi();
    commands.set(keys.payload(id), payload);
    commands.zadd(keys.inflight, receivedAt, id);
    // The sets of pending writes belong to clients of the other Redis.
    const alone: PendingChunk = { ...chunk, pendingWrites: [], pending: [] };
    commands.hset(keys.pendingChunks, id, JSON.stringify(alone));
    for (const [project, facts] of Object.entries(chunk.facts)) {
      commands.hincrby(keys.ledger, `received:${project}`, facts);
      commands.hincrby(keys.ledger, 'received', facts);
    }
    for (const [project, bytes] of Object.entries(chunk.bytes))
      commands.hincrby(keys.projectBytes, project, bytes);
    repliesOf(await commands.exec());
  }

  /** Undefined when the chunk was settled meanwhile: then its payload is gone. */
  private async read(
    stream: StreamName,
    id: string,
    text: string,
  ): Promise<SavedChunk | undefined> {
    const keys = STREAM_KEYS[stream];
    const [payload, score] = await Promise.all([
      this.redis.getBuffer(keys.payload(id)),
      this.redis.zscore(keys.inflight, id),
    ]);
    if (payload === null) return undefined;
    const chunk = JSON.parse(text) as PendingChunk;
    return { stream, id, receivedAt: Number(score ?? 0), chunk, payload };
  }
}
