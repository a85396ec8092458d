import { Inject, Injectable } from '@nestjs/common';
import type { AuthConfig } from '@app/config';
import { API_KEY_USES, API_KEYS, QueueUnavailableError, Redis } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';
import { hashOf, isSameHash, keyIdOf, parseStoredKey } from './api-key.js';
import { AUTH_OPTIONS } from './auth-options.js';
import { admin, type Principal } from './project-access.js';

/** How long a revoked key may still be accepted by this process. */
const CACHE_MS = 5000;
const CACHE_MAX = 10_000;
/** Precision of "last used". */
const RECORD_USE_MS = 60_000;

interface CachedKey {
  readonly principal: Principal | undefined;
  readonly until: number;
}

/**
 * Finds the principal of a key. Hashes of keys are in Redis, because ingest needs them while ClickHouse is unavailable;
 * `HEDDLE_API_KEY` needs no lookup. Results are cached for seconds, and longer while Redis is unavailable.
 */
@Injectable()
export class KeyCache {
  private readonly cache = new Map<string, CachedKey>();
  private readonly recordedUses = new Map<string, number>();
  private readonly ownHash: string;

  constructor(
    private readonly redis: Redis,
    @Inject(AUTH_OPTIONS) private readonly config: Pick<AuthConfig, 'apiKey' | 'user'>,
  ) {
    this.ownHash = config.apiKey === '' ? '' : hashOf(config.apiKey);
  }

  find(key: string, now = nowMillis()): Promise<Principal | undefined> {
    return this.findByHash(hashOf(key), now);
  }

  async findByHash(hash: string, now = nowMillis()): Promise<Principal | undefined> {
    const cached = this.cached(hash, now);
    if (cached !== undefined) return cached.principal;
    const principal = livePrincipal(hash, await this.stored(hash), now);
    this.addToCache(hash, { principal, until: now + CACHE_MS });
    if (principal !== undefined) this.recordUse(principal.keyId, now);
    return principal;
  }

  private cached(hash: string, now: Millis): { principal: Principal | undefined } | undefined {
    if (isSameHash(hash, this.ownHash)) return { principal: admin(this.config.user) };
    const known = this.cache.get(hash);
    const isValid = known !== undefined && (known.until > now || this.redis.status !== 'ready');
    return isValid ? known : undefined;
  }

  /** Rejects with QueueUnavailableError while Redis is unavailable: the key is then neither accepted nor refused. */
  private async stored(hash: string): Promise<string | null> {
    try {
      return await this.redis.hget(API_KEYS, hash);
    } catch (error) {
      throw new QueueUnavailableError('The key cannot be looked up while Redis is unavailable.', {
        cause: error,
      });
    }
  }

  private addToCache(hash: string, found: CachedKey): void {
    if (this.cache.size >= CACHE_MAX) this.cache.clear();
    this.cache.set(hash, found);
  }

  /** Not awaited. If the command fails, the next use of the key is recorded. */
  private recordUse(keyId: string, now: Millis): void {
    if (now - (this.recordedUses.get(keyId) ?? 0) < RECORD_USE_MS) return;
    if (this.recordedUses.size >= CACHE_MAX) this.recordedUses.clear();
    this.recordedUses.set(keyId, now);
    this.redis.hset(API_KEY_USES, keyId, now).catch(() => this.recordedUses.delete(keyId));
  }
}

function livePrincipal(hash: string, stored: string | null, now: Millis): Principal | undefined {
  if (stored === null) return undefined;
  const { user, scope, role, endsAt, addresses } = parseStoredKey(stored);
  const hasEnded = endsAt !== undefined && endsAt <= now;
  if (hasEnded) return undefined;
  return {
    ...{ user, scope, role, keyId: keyIdOf(hash) },
    ...(endsAt !== undefined && { endsAt }),
    ...(addresses !== undefined && { addresses }),
  };
}
