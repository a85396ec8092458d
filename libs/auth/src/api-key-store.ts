import { Injectable } from '@nestjs/common';
import { API_KEY_USES, API_KEYS, Redis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';
import { hashOf, keyIdOf, newApiKey, parseStoredKey, type StoredKey } from './api-key.js';
import type { Grant } from './project-access.js';

export interface KeyEntry extends StoredKey {
  readonly id: string;
  /** To the minute. */
  readonly lastUsedAt?: Millis;
}

export interface NewKey {
  /** Shown once and never stored. */
  readonly key: string;
  readonly entry: KeyEntry;
}

export interface KeyRequest extends Grant {
  readonly name?: string;
  readonly createdBy: string;
  readonly endsAt?: Millis;
  readonly addresses?: readonly string[];
}

/** Replaces an entry only if no other process has changed it since it was read (compare and set). */
const REPLACE = `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/** All API keys. Changes resolve when Redis has them on disk, and apply in every process within seconds. */
@Injectable()
export class ApiKeyStore {
  constructor(private readonly redis: Redis) {}

  async create(request: KeyRequest, key = newApiKey(), now = nowMillis()): Promise<NewKey> {
    const stored: StoredKey = { ...request, createdAt: now };
    const hash = hashOf(key);
    await this.redis.hset(API_KEYS, hash, JSON.stringify(stored));
    return { key, entry: { id: keyIdOf(hash), ...stored } };
  }

  async list(): Promise<KeyEntry[]> {
    const [keys, uses] = await Promise.all([
      this.redis.hgetall(API_KEYS),
      this.redis.hgetall(API_KEY_USES),
    ]);
    return Object.entries(keys)
      .map(([hash, text]) => entryOf(hash, text, uses[keyIdOf(hash)]))
      .sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
  }

  async find(id: string): Promise<KeyEntry | undefined> {
    return (await this.list()).find((entry) => entry.id === id);
  }

  /** Ends the key at the time `at`. Resolves to undefined if the key does not exist. */
  async end(id: string, at: Millis): Promise<KeyEntry | undefined> {
    for (;;) {
      const keys = await this.redis.hgetall(API_KEYS);
      const hash = Object.keys(keys).find((candidate) => keyIdOf(candidate) === id);
      if (hash === undefined) return undefined;
      const entry = parseStoredKey(keys[hash]!);
      const endsAt = millis(Math.min(at, entry.endsAt ?? at));
      const text = JSON.stringify({ ...entry, endsAt });
      const done = await this.redis.eval(REPLACE, 1, API_KEYS, hash, keys[hash]!, text);
      if (done === 1) return { id, ...entry, endsAt };
    }
  }

  /**
   * Creates a key with the same grant and the same end, but not after `notAfter`; the old one ends at `oldEndsAt`. Resolves to
   * undefined if the old key does not exist or has ended.
   */
  async rotate(
    id: string,
    by: string,
    oldEndsAt: Millis,
    { now = nowMillis(), notAfter }: { now?: Millis; notAfter?: Millis | undefined } = {},
  ): Promise<NewKey | undefined> {
    const old = await this.find(id);
    if (old === undefined || (old.endsAt !== undefined && old.endsAt <= now)) return undefined;
    const { user, scope, role, name, addresses } = old;
    const end = earlier(old.endsAt, notAfter);
    const fresh = await this.create(
      {
        ...{ user, scope, role, createdBy: by },
        ...(name !== undefined && { name }),
        ...(addresses !== undefined && { addresses }),
        ...(end !== undefined && { endsAt: end }),
      },
      undefined,
      now,
    );
    await this.end(id, oldEndsAt);
    return fresh;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.redis.hlen(API_KEYS)) === 0;
  }
}

/** The earlier of two ends; undefined stands for no end. */
function earlier(one: Millis | undefined, other: Millis | undefined): Millis | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return millis(Math.min(one, other));
}

function entryOf(hash: string, text: string, lastUsed: string | undefined): KeyEntry {
  return {
    id: keyIdOf(hash),
    ...parseStoredKey(text),
    ...(lastUsed === undefined ? {} : { lastUsedAt: millis(Number(lastUsed)) }),
  };
}
