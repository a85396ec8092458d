import { Injectable } from '@nestjs/common';
import { OldParts } from '@app/clickhouse';
import { HeddleError } from '@app/errors';
import { Redis, rewriteFiles } from '@app/redis';
import { RewriteLock } from '../repair/rewrite-lock.js';
import { ErasureError } from './erasure-error.js';
import { ERASED_TABLES } from './erasure-target.js';
import { RemovalMark } from './removal-mark.js';

const REDIS_WITHIN_MS = 10 * 60_000;
const CLICKHOUSE_WITHIN_MS = 60_000;

/** Reports steps of one thing, for example the keys of Redis. */
type Progress = (what: string) => (done: number, total: number) => void;

/** Copies of erased data that Redis and ClickHouse keep on their disks for some time. */
@Injectable()
export class DiskCopies {
  constructor(
    private readonly redis: Redis,
    private readonly parts: OldParts,
    private readonly lock: RewriteLock,
    private readonly mark: RemovalMark,
  ) {}

  /** Resolves with a sentence for each copy that cannot be removed from here. Rejects when Redis fails to write its files. */
  async remove(progress: Progress): Promise<string[]> {
    return [
      ...(await this.removeFromClickHouse(progress)),
      ...(await this.removeFromRedis(progress)),
    ];
  }

  private async removeFromClickHouse(progress: Progress): Promise<string[]> {
    const shown = progress('old parts of tables');
    const left = await this.oldPartsLeft(shown);
    return left.map(({ host, table, parts, removedBy, reason }) =>
      removedBy === undefined
        ? `${parts} detached parts of ${table} on ${host} may contain the data; ALTER TABLE ${table} DROP DETACHED PART removes them.`
        : `${parts} old parts of ${table} on ${host} may contain the data until ClickHouse removes them, at the latest at ${removedBy}${reason === undefined ? '' : ` (${reason})`}.`,
    );
  }

  /** Another command that rewrites tables has the lock, or this one has lost it: then ClickHouse removes the parts later. */
  private async oldPartsLeft(progress: (done: number, total: number) => void) {
    const limits = { waitMs: CLICKHOUSE_WITHIN_MS, progress };
    try {
      return await this.lock.run(async (signal) => {
        // A maintenance job clears it when this process is killed, or when ClickHouse does not reset the settings now.
        await this.mark.set();
        const left = await this.parts.remove(ERASED_TABLES, { ...limits, signal });
        await this.mark.clear();
        return left;
      });
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      return this.parts.left(ERASED_TABLES, error.message);
    }
  }

  private async removeFromRedis(progress: Progress): Promise<string[]> {
    const shown = progress('keys of Redis');
    const { failed, refused, replicas } = await rewriteFiles(this.redis, REDIS_WITHIN_MS, shown);
    if (failed.length > 0)
      throw new ErasureError(
        `The data is erased from all tables, but not from the files of Redis: ${failed.join('; ')}. Run the command again.`,
      );
    return [
      ...refused.map(
        (reason) =>
          `Redis does not let Heddle rewrite its append-only file (${reason}); the data is in it until Redis rewrites it.`,
      ),
      ...(replicas > 0
        ? [
            `${replicas} replicas of Redis have files of their own; run BGREWRITEAOF on each of them.`,
          ]
        : []),
    ];
  }
}
