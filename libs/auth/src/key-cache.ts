import { Inject, Injectable } from '@nestjs/common';
import type { AuthConfig } from '@app/config';

import { API_KEY_USES, API_KEYS, QueueUnavailableError, Redis } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';
import { hashOf, isSameHash, keyIdOf } from './api-key.js';
import { AUTH_OPTIONS } from './auth-options.js';
import { admin, type Principal } from './grant.js';
import { parseStoredKey } from './stored-key.js';

/** A key that was revoked elsewhere ends here after this at the latest. */
const REMEMBER_MS = 5000;
const REMEMBER_MAX = 10_000;
/** How exact "last used" is. */
const NOTE_USE_MS = 60_000;

interface Remembered {
  readonly principal: Principal | undefined;
  readonly until: number;
}

/**
 * Finds whose key it is. Keys live in Redis, as hashes, because ingest must know them while ClickHouse is away; the key of
 * the environment needs no store at all. What was found is remembered for seconds, and longer while Redis is away.
 */
@Injectable()
export class KeyCache {
  private readonly remembered = new Map<string, Remembered>();
  private readonly notedUses = new Map<string, number>();
  private readonly ownHash: string;

  constructor(
    private readonly redis: Redis,
    @Inject(AUTH_OPTIONS) private readonly config: Pick<AuthConfig, 'apiKey' | 'user'>,
  ) {
    this.ownHash = config.apiKey === '' ? '' : hashOf(config.apiKey);
  }

  async find(key: string, now = nowMillis()): Promise<Principal | undefined> {
    const known = this.recall(key, now);
    if (known !== undefined) return known.principal;
    const hash = hashOf(key);
    const principal = livePrincipal(hash, await this.stored(hash), now);
    this.remember(hash, { principal, until: now + REMEMBER_MS });
    if (principal !== undefined) this.noteUse(principal.keyId, now);
    return principal;
  }

  /** What is known without asking anybody: undefined when somebody has to be asked. */
  recall(key: string, now = nowMillis()): { principal: Principal | undefined } | undefined {
    const hash = hashOf(key);
    if (isSameHash(hash, this.ownHash)) return { principal: admin(this.config.user) };
    const known = this.remembered.get(hash);
    const counts = known !== undefined && (known.until > now || this.redis.status !== 'ready');
    return counts ? known : undefined;
  }

  /** Rejects with QueueUnavailableError when Redis does not answer: such a key is neither known nor unknown. */
  private async stored(hash: string): Promise<string | null> {
    try {
      return await this.redis.hget(API_KEYS, hash);
    } catch (error) {
      throw new QueueUnavailableError('The key cannot be looked up while Redis is away.', {
        cause: error,
      });
    }
  }

  private remember(hash: string, found: Remembered): void {
    if (this.remembered.size >= REMEMBER_MAX) this.remembered.clear();
    this.remembered.set(hash, found);
  }

  /** Nobody waits for it, and a use that is not noted because Redis has just gone away is noted the next time. */
  private noteUse(keyId: string, now: Millis): void {
    if (now - (this.notedUses.get(keyId) ?? 0) < NOTE_USE_MS) return;
    if (this.notedUses.size >= REMEMBER_MAX) this.notedUses.clear();
    this.notedUses.set(keyId, now);
    this.redis.hset(API_KEY_USES, keyId, now).catch(() => this.notedUses.delete(keyId));
  }
}

function livePrincipal(hash: string, stored: string | null, now: Millis): Principal | undefined {
  if (stored === null) return undefined;
  const { user, scope, role, endsAt } = parseStoredKey(stored);
  const hasEnded = endsAt !== undefined && endsAt <= now;
  return hasEnded ? undefined : { user, scope, role, keyId: keyIdOf(hash) };
}
