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
redis.call('SET', KEYS[2], ARGV[3])
return 1`;

/** Who did what, where. */
export interface AuditEntry {
  readonly userId: string;
  /** The key that was used; `cli` for an operator's command, `job` for a scheduled job. */
  readonly keyId?: string;
  /** Of the client, or the name of the host that ran the command or job. */
  readonly address?: string;
  /** Of the request, or of one run of a command or job. */
  readonly requestId?: string;
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

/** The last entry that was moved to ClickHouse: its number in the chain and its hash. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** The oldest entries that are not in ClickHouse yet, and the entry before them. */
export interface AuditBatch {
  readonly entries: readonly Audited[];
  /** Undefined when Redis has none: at first, and when it has lost its data. */
  readonly head: AuditHead | undefined;
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

  /** Both are read at one time, so that every process that moves these entries gives them the same numbers and hashes. */
  async oldest(count: number): Promise<AuditBatch> {
    const read = this.redis
      .multi()
      .lrange(KEYS.audit, 0, count - 1)
      .get(KEYS.auditHead);
    const [[, texts], [, head]] = (await read.exec()) as [[null, string[]], [null, string | null]];
    return {
      entries: texts.map((text) => JSON.parse(text) as Audited),
      head: head === null ? undefined : (JSON.parse(head) as AuditHead),
    };
  }

  /** The last entry that was moved to ClickHouse. */
  async head(): Promise<AuditHead | undefined> {
    return (await this.oldest(1)).head;
  }

  /** Sets the head if Redis has none. */
  async restoreHead(head: AuditHead): Promise<void> {
    await this.redis.set(KEYS.auditHead, JSON.stringify(head), 'NX');
  }

  /** Removes these entries, which `oldest` has returned, unless another process has removed them. The last one becomes the head. */
  async remove(entries: readonly Audited[], head: AuditHead): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const keys = [KEYS.audit, KEYS.auditHead];
    const args = [JSON.stringify(first), entries.length, JSON.stringify(head)];
    await this.redis.eval(REMOVE, keys.length, ...keys, ...args);
  }
}
