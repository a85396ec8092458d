import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { queueError, Redis } from '@app/redis';
import { microsOf, nowMillis, type Micros } from '@app/wire';
import { KEYS } from './queue-keys.js';

/** Who did what, where. */
export interface AuditEntry {
  readonly userId: string;
  /** Such as `calls.delete`. */
  readonly action: string;
  /** A project, the scope of a key, or '' for the whole server. */
  readonly projectId: string;
  /** What else is worth knowing; never a payload, never a key. */
  readonly detail: object;
}

export interface Audited extends AuditEntry {
  readonly id: string;
  readonly at: Micros;
}

/**
 * What was destroyed or administered. It is on the disk of Redis before the caller is answered, so that it holds while
 * ClickHouse is away; a worker carries it on into the table that only ever grows.
 */
@Injectable()
export class AuditTrail {
  constructor(private readonly redis: Redis) {}

  async record(entry: AuditEntry, now = nowMillis()): Promise<void> {
    const audited: Audited = { ...entry, id: randomUUID(), at: microsOf(now) };
    try {
      await this.redis.rpush(KEYS.audit, JSON.stringify(audited));
    } catch (error) {
      throw queueError(error);
    }
  }

  /** The oldest that are not in the table yet. */
  async waiting(count: number): Promise<Audited[]> {
    const texts = await this.redis.lrange(KEYS.audit, 0, count - 1);
    return texts.map((text) => JSON.parse(text) as Audited);
  }

  /** They are in the table; by one process at a time. */
  async carried(count: number): Promise<void> {
    await this.redis.ltrim(KEYS.audit, count, -1);
  }
}
