import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { queueError, Redis, WriteGuard } from '@app/redis';
import { microsOf, nowMillis, type Micros } from '@app/wire';
import { KEYS } from './streams.js';

/**
 * Entries are only added at one end and removed at the other. So when the first entry is still there, the entries after it
 * are the ones that were read with it.
 */
const REMOVE = `
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then return 0 end
redis.call('LTRIM', KEYS[1], ARGV[2], -1)
return 1`;

/** Who did what, where. */
export interface AuditEntry {
  readonly userId: string;
  /** Such as `calls.delete`. */
  readonly action: string;
  /** A project, the scope of a key, or '' for the whole server. */
  readonly projectId: string;
  /** Further details; never a payload or a key. */
  readonly detail: object;
}

export interface Audited extends AuditEntry {
  readonly id: string;
  readonly at: Micros;
}

/**
 * The audit log of deletions and administration. Redis has an entry on disk before the client gets its response, also while
 * ClickHouse is unavailable. A worker moves entries to the append-only table `audit`.
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly redis: Redis,
    private readonly guard: WriteGuard,
  ) {}

  async record(entry: AuditEntry, now = nowMillis()): Promise<void> {
    const audited: Audited = { ...entry, id: randomUUID(), at: microsOf(now) };
    try {
      await this.guard.requireWritable();
      await this.guard.confirmed(this.redis.rpush(KEYS.audit, JSON.stringify(audited)));
    } catch (error) {
      throw queueError(error);
    }
  }

  /** The oldest entries that are not in ClickHouse yet. */
  async oldest(count: number): Promise<Audited[]> {
    const texts = await this.redis.lrange(KEYS.audit, 0, count - 1);
    return texts.map((text) => JSON.parse(text) as Audited);
  }

  /** Removes these entries, which `oldest` has returned, unless another process has removed them. */
  async remove(entries: readonly Audited[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    await this.redis.eval(REMOVE, 1, KEYS.audit, JSON.stringify(first), entries.length);
  }
}
