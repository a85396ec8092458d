import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, queueError, Redis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';
import { hashOf, keyIdOf } from './api-key.js';
import {
  openIdKeyId,
  SESSION_MAX_MS,
  sessionLifetimeMs,
  type Session,
  type SessionOwner,
} from './session.js';

/** string: a session as JSON, by the hash of its secret; Redis deletes it when it ends. */
const SESSION = `${KEY_PREFIX}:session:`;
/** zset: the hashes of the sessions of a key or user → when they were created (ms). */
const sessionsOf = (keyId: string) => `${KEY_PREFIX}:sessions:${keyId}`;
const keyIdOfOwner = (owner: SessionOwner) =>
  'grant' in owner ? openIdKeyId(owner.grant.user) : keyIdOf(owner.keyHash);

/** How long a process may accept a session that another process has ended. */
const CACHE_MS = 5000;
const CACHE_MAX = 10_000;
/** Precision of the idle time: a session is extended at most this often. */
const EXTEND_EVERY_MS = 60_000;
/** One more login ends the oldest session of the key or user. */
const PER_OWNER_MAX = 100;

const CREATE = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3] - ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[6]
if excess > 0 then
  local oldest = redis.call('ZPOPMIN', KEYS[2], excess)
  for i = 1, #oldest, 2 do redis.call('DEL', ARGV[7] .. oldest[i]) end
end`;

/** There are at most `PER_OWNER_MAX`. */
const END_ALL = `local hashes = redis.call('ZRANGE', KEYS[1], 0, -1)
local ended = 0
for _, hash in ipairs(hashes) do ended = ended + redis.call('DEL', ARGV[1] .. hash) end
redis.call('DEL', KEYS[1])
return ended`;

interface CachedSession {
  readonly session: Session;
  readonly until: Millis;
  readonly extendedAt: Millis;
}

/** The sessions of the page, in Redis, so that every process accepts them. */
@Injectable()
export class SessionStore {
  private readonly cache = new Map<string, CachedSession>();

  constructor(private readonly redis: Redis) {}

  /** Resolves to the secret of a new session: 256 random bits, of which only the hash is stored. */
  async create(owner: SessionOwner, now = nowMillis()): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const hash = hashOf(secret);
    const session: Session = { ...owner, createdAt: now };
    const keys = [SESSION + hash, sessionsOf(keyIdOfOwner(owner))];
    const lifetime = sessionLifetimeMs(session, now);
    await this.confirmed(
      this.redis.eval(
        CREATE,
        keys.length,
        ...keys,
        JSON.stringify(session),
        lifetime,
        now,
        hash,
        SESSION_MAX_MS,
        PER_OWNER_MAX,
        SESSION,
      ),
    );
    return secret;
  }

  /** Undefined for a session that has ended or never existed. Each use extends it. */
  async find(secret: string, now = nowMillis()): Promise<Session | undefined> {
    const hash = hashOf(secret);
    const known = this.cache.get(hash);
    const isValid = known !== undefined && (known.until > now || this.redis.status !== 'ready');
    const session = isValid ? known.session : await this.stored(hash);
    if (session === undefined || sessionLifetimeMs(session, now) <= 0) {
      this.cache.delete(hash);
      return undefined;
    }
    if (!isValid) await this.extend(hash, session, known, now);
    return session;
  }

  /** Other processes refuse the session within five seconds. */
  async end(secret: string): Promise<void> {
    const hash = hashOf(secret);
    const session = await this.stored(hash);
    this.cache.delete(hash);
    if (session === undefined) return;
    const ending = this.redis
      .multi()
      .del(SESSION + hash)
      .zrem(sessionsOf(keyIdOfOwner(session)), hash);
    await this.confirmed(ending.exec());
  }

  /** Ends the sessions of a user without a key and resolves to their number. Other processes refuse them within five seconds. */
  async endOpenId(user: string): Promise<number> {
    const key = sessionsOf(openIdKeyId(user));
    const ended = await this.confirmed(this.redis.eval(END_ALL, 1, key, SESSION));
    this.cache.clear();
    return Number(ended);
  }

  private async stored(hash: string): Promise<Session | undefined> {
    const text = await this.confirmed(this.redis.get(SESSION + hash));
    return text === null ? undefined : (JSON.parse(text) as Session);
  }

  private async extend(
    hash: string,
    session: Session,
    known: CachedSession | undefined,
    now: Millis,
  ): Promise<void> {
    const isDue = known === undefined || now - known.extendedAt >= EXTEND_EVERY_MS;
    if (isDue) {
      const lifetime = sessionLifetimeMs(session, now);
      await this.confirmed(this.redis.pexpire(SESSION + hash, lifetime));
    }
    if (this.cache.size >= CACHE_MAX) this.cache.clear();
    const extendedAt = isDue ? now : known.extendedAt;
    this.cache.set(hash, { session, until: millis(now + CACHE_MS), extendedAt });
  }

  /** Rejects with QueueUnavailableError while Redis is unavailable: the session is then neither accepted nor refused. */
  private async confirmed<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      throw queueError(error);
    }
  }
}
