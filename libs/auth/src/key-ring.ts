import type { AuthConfig } from '@app/config';
import { KEYS, QueueAway, type Redis } from '@app/queue';
import { hashOf, isSameHash } from './api-key.js';
import type { Principal } from './principal.js';

const REMEMBER_MS = 5000;
const REMEMBER_MAX = 10_000;

interface Remembered {
  readonly principal: Principal | undefined;
  readonly until: number;
}

/**
 * Finds whose key it is. Keys live in Redis, as hashes, because ingest must know them while ClickHouse is away; the key of
 * the environment needs no store at all. What was found is remembered for seconds, and longer while Redis is away.
 */
export class KeyRing {
  private readonly remembered = new Map<string, Remembered>();
  private readonly ownHash: string;

  constructor(
    private readonly redis: Redis,
    private readonly config: AuthConfig,
  ) {
    this.ownHash = config.apiKey === '' ? '' : hashOf(config.apiKey);
  }

  async find(key: string, now = Date.now()): Promise<Principal | undefined> {
    const hash = hashOf(key);
    if (isSameHash(hash, this.ownHash)) return admin(this.config.user);
    const known = this.remembered.get(hash);
    if (known !== undefined && (known.until > now || this.redis.status !== 'ready')) {
      return known.principal;
    }
    const principal = parse(await this.stored(hash));
    this.remember(hash, { principal, until: now + REMEMBER_MS });
    return principal;
  }

  /** Adds a key; resolves when Redis has it on disk. */
  async add(key: string, principal: Principal): Promise<void> {
    await this.redis.hset(KEYS.apiKeys, hashOf(key), JSON.stringify(principal));
  }

  async isEmpty(): Promise<boolean> {
    return (await this.redis.hlen(KEYS.apiKeys)) === 0;
  }

  /** Rejects with QueueAway when Redis does not answer: such a key is neither known nor unknown. */
  private async stored(hash: string): Promise<string | null> {
    try {
      return await this.redis.hget(KEYS.apiKeys, hash);
    } catch (error) {
      throw new QueueAway('The key cannot be looked up while Redis is away.', { cause: error });
    }
  }

  private remember(hash: string, found: Remembered): void {
    if (this.remembered.size >= REMEMBER_MAX) this.remembered.clear();
    this.remembered.set(hash, found);
  }
}

export const admin = (user: string): Principal => ({ user, scope: '*', role: 'admin' });

function parse(stored: string | null): Principal | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as Principal);
}
