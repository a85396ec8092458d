import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, keyPart, queueError, Redis } from '@app/redis';

/** zset: projects that are tailed → until when (ms). */
const TAILED = `${KEY_PREFIX}:tailed`;
/** string: since when (ms) the changes of a project are recorded. */
const tailedSince = (projectId: string) => `${KEY_PREFIX}:tailed-since:${keyPart(projectId)}`;
/** stream: the calls of a tailed project that were written, in the order in which they became visible. */
const changesOf = (projectId: string) => `${KEY_PREFIX}:call-changes:${keyPart(projectId)}`;

/** A tail that was interrupted for less than this continues without a gap. */
const TAILED_MS = 120_000;
/** Each entry has the calls of one flush. Older entries are removed. */
const ENTRIES_MAX = 5000;
const CALLS_PER_ENTRY = 500;

/** Starts or prolongs the recording of a project. Returns since when its changes are recorded, and the time now. */
const WATCH = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
redis.call('SET', KEYS[2], now, 'NX')
redis.call('PEXPIRE', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[1])
return {redis.call('GET', KEYS[2]), tostring(now)}`;

/** The projects that are tailed now. By the clock of `WATCH`, because the clock of a worker may differ. */
const TAILED_NOW = `local time = redis.call('TIME')
return redis.call('ZRANGEBYSCORE', KEYS[1], time[1] * 1000, '+inf')`;

/** A call whose row was written. */
interface CallChange {
  readonly id: string;
  readonly isDeleted: boolean;
}

interface WrittenCall {
  readonly project_id: string;
  readonly id: string;
  readonly is_deleted: number;
}

export interface Changes {
  readonly calls: readonly CallChange[];
  /** Where the next read continues. */
  readonly cursor: string;
  /** Changes between the cursor of the request and the first of these may be lost. */
  readonly hasGap: boolean;
}

/**
 * Tells tails which calls were written. Workers record changes only of projects that are tailed. They check that after the
 * rows are visible, so that a call is either visible when `watch` resolves or recorded later.
 */
@Injectable()
export class CallChanges {
  constructor(private readonly redis: Redis) {}

  /** Resolves to a cursor for what changes from now on. To be called again within two minutes. */
  async watch(projectId: string): Promise<string> {
    const { now } = await this.prolong(projectId);
    // The last possible id of the millisecond before.
    return `${now - 1}-${2n ** 64n - 1n}`;
  }

  /** Records the calls whose rows are visible now. */
  async record(rows: readonly WrittenCall[]): Promise<void> {
    const tailed = (await this.redis.eval(TAILED_NOW, 1, TAILED)) as string[];
    for (const projectId of tailed) {
      const changed = rows.filter(({ project_id }) => project_id === projectId);
      for (let from = 0; from < changed.length; from += CALLS_PER_ENTRY) {
        const calls = changed
          .slice(from, from + CALLS_PER_ENTRY)
          .map(({ id, is_deleted }): CallChange => ({ id, isDeleted: is_deleted === 1 }));
        const key = changesOf(projectId);
        await this.redis
          .multi()
          .xadd(key, 'MAXLEN', ENTRIES_MAX, '*', 'calls', JSON.stringify(calls))
          .pexpire(key, TAILED_MS)
          .exec();
      }
    }
  }

  /** The changes after a cursor up to another (`+` for all), of at most `entries` flushes. Prolongs the recording. */
  async after(projectId: string, cursor: string, until: string, entries: number): Promise<Changes> {
    const key = changesOf(projectId);
    const { since } = await this.prolong(projectId);
    try {
      const [found, length, oldest] = await Promise.all([
        this.redis.xrange(key, `(${cursor}`, until, 'COUNT', entries),
        this.redis.xlen(key),
        this.redis.xrange(key, '-', '+', 'COUNT', 1),
      ]);
      const isTrimmed = length >= ENTRIES_MAX && isBefore(cursor, oldest[0]?.[0] ?? cursor);
      return {
        calls: found.flatMap(([, fields]) => JSON.parse(fields[1] ?? '[]') as CallChange[]),
        cursor: found.at(-1)?.[0] ?? cursor,
        hasGap: isTrimmed || Number(cursor.split('-')[0]) < since - 1,
      };
    } catch (error) {
      throw queueError(error);
    }
  }

  private async prolong(projectId: string): Promise<{ since: number; now: number }> {
    const keys = [TAILED, tailedSince(projectId), changesOf(projectId)];
    try {
      const reply = await this.redis.eval(WATCH, keys.length, ...keys, TAILED_MS, projectId);
      const [since, now] = reply as [string, string];
      return { since: Number(since), now: Number(now) };
    } catch (error) {
      throw queueError(error);
    }
  }
}

/** Compares the ids of two entries. */
export function isBefore(a: string, b: string): boolean {
  const [aMs = 0n, aSequence = 0n] = a.split('-').map(BigInt);
  const [bMs = 0n, bSequence = 0n] = b.split('-').map(BigInt);
  return aMs < bMs || (aMs === bMs && aSequence < bSequence);
}
