import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthConfig } from '@app/config';
import { RateLimit, Redis } from '@app/redis';
import { AccessDeniedError } from './access-denied-error.js';
import { hashOf, hasKey, keyIn } from './api-key.js';
import { isInRanges } from './address-ranges.js';
import { AUTH_OPTIONS } from './auth-options.js';
import type { Grant, Principal } from './project-access.js';
import { KeyCache } from './key-cache.js';
import { isFromPage, openIdPrincipal, sessionIn, type Session } from './session.js';
import { SessionStore } from './session-store.js';

/** Limits requests and bytes per second of one key. */
@Injectable()
export class KeyLimits {
  private readonly requests: RateLimit;
  private readonly bytes: RateLimit;

  constructor(redis: Redis, @Inject(AUTH_OPTIONS) { limits }: Pick<AuthConfig, 'limits'>) {
    const { maxRequestsPerSecond, maxBytesPerSecond } = limits;
    this.requests = new RateLimit(redis, {
      name: 'key-requests',
      points: maxRequestsPerSecond,
      seconds: 1,
      message: `This API key may send ${maxRequestsPerSecond} requests per second; retry later.`,
    });
    this.bytes = new RateLimit(redis, {
      name: 'key-bytes',
      points: maxBytesPerSecond,
      seconds: 1,
      message: `This API key may send ${maxBytesPerSecond} bytes per second; retry later.`,
    });
  }

  async consumeRequest(keyId: string): Promise<void> {
    await this.requests.consume(keyId);
  }

  async consumeBytes(keyId: string, bytes: number): Promise<void> {
    await this.bytes.consume(keyId, bytes);
  }
}

/** Characters by which attempts at one key are recognised. */
const ATTEMPT_PREFIX = 12;

/** Limits the attempts with unknown keys from one address, and with one beginning. */
@Injectable()
export class FailedLogins extends RateLimit {
  constructor(redis: Redis, @Inject(AUTH_OPTIONS) { limits }: Pick<AuthConfig, 'limits'>) {
    super(redis, {
      name: 'failed-logins',
      points: limits.maxFailuresPerMinute,
      seconds: 60,
      message:
        'Too many unknown API keys came from this address or begin like this one; retry later.',
    });
  }
}

export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'body' | 'protocol'> & {
  readonly ip: string;
  readonly id?: string;
  principal?: Principal;
  /** Set when the caller was identified by a session. */
  session?: Session;
};

/** A login of the page. */
export interface Login {
  readonly principal: Principal;
  /** The secret of the new session, for the cookie. */
  readonly secret: string;
}

/** Identifies the caller before the body is read, so that unknown callers cannot use memory. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: KeyCache,
    private readonly logins: FailedLogins,
    private readonly limits: KeyLimits,
    private readonly sessions: SessionStore,
  ) {}

  /** Rejects with AccessDeniedError or RateLimitedError. The result is stored with the request. */
  async identify(request: IncomingRequest): Promise<Principal> {
    if (request.principal !== undefined) return request.principal;
    const principal = await this.callerOf(request);
    await this.limits.consumeRequest(principal.keyId);
    const declaredBytes = Number(request.headers['content-length'] ?? 0);
    await this.limits.consumeBytes(principal.keyId, declaredBytes);
    return (request.principal = withOrigin(principal, request));
  }

  /** Counts a body without Content-Length after it was read. */
  async countBody({ headers, body, principal }: IncomingRequest): Promise<void> {
    if (headers['content-length'] !== undefined || !Buffer.isBuffer(body) || !principal) return;
    await this.limits.consumeBytes(principal.keyId, body.length);
  }

  /** Whether the key or session of a request that was identified before is still accepted; for responses that last long. */
  async isStillAccepted({ headers, ip, protocol }: IncomingRequest): Promise<boolean> {
    try {
      await this.callerOf({ headers, ip, protocol, body: undefined });
      return true;
    } catch (error) {
      // Anything else, such as Redis being unavailable, says nothing about the key.
      return !(error instanceof AccessDeniedError);
    }
  }

  /** Starts a session for the owner of a key. A session of this browser from before ends. */
  async logIn(key: string, request: IncomingRequest): Promise<Login> {
    if (!isFromPage(request)) throw new AccessDeniedError('page_header_missing');
    const principal = await this.principalOf(key, request.ip);
    await this.limits.consumeRequest(principal.keyId);
    await this.logOut(request);
    const secret = await this.sessions.create({ keyHash: hashOf(key) });
    return { principal: withOrigin(principal, request), secret };
  }

  /** Starts a session for a user whom an OpenID Connect issuer vouches for. */
  async logInUser(grant: Grant, request: IncomingRequest): Promise<Login> {
    const secret = await this.sessions.create({ grant });
    return { principal: withOrigin(openIdPrincipal(grant), request), secret };
  }

  /** Counts an attempt to log in that costs a request to the issuer. Rejects with RateLimitedError. */
  async countOpenIdAttempt(address: string): Promise<void> {
    await this.logins.consume(`openid ${address}`);
  }

  /** Ends the session of this request, if it has one. */
  async logOut(request: IncomingRequest): Promise<void> {
    const secret = isFromPage(request) ? sessionIn(request) : undefined;
    if (secret !== undefined) await this.sessions.end(secret);
  }

  /** The cookie counts only in a request without a key. */
  private async callerOf(request: IncomingRequest): Promise<Principal> {
    const secret = hasKey(request.headers) ? undefined : sessionIn(request);
    if (secret === undefined) return this.principalOf(keyIn(request.headers), request.ip);
    if (!isFromPage(request)) throw new AccessDeniedError('page_header_missing');
    const session = await this.sessions.find(secret);
    const principal = session && (await this.principalOfSession(session));
    if (principal === undefined) throw new AccessDeniedError('session_ended');
    request.session = session!;
    return requireAddress(principal, request.ip);
  }

  private async principalOfSession(session: Session): Promise<Principal | undefined> {
    return 'grant' in session
      ? openIdPrincipal(session.grant)
      : await this.keys.findByHash(session.keyHash);
  }

  /**
   * Looks the key up first, so that the failures of others never refuse a valid key. Failures are counted by address, and by
   * the beginning of the key, because attempts at one key may come from many addresses.
   */
  private async principalOf(key: string | undefined, address: string): Promise<Principal> {
    if (key === undefined) throw new AccessDeniedError('unauthenticated');
    const principal = await this.keys.find(key);
    if (principal !== undefined) return requireAddress(principal, address);
    await this.logins.consume(address);
    await this.logins.consume(`prefix ${hashOf(key.slice(0, ATTEMPT_PREFIX))}`);
    throw new AccessDeniedError('unknown_key');
  }
}

/** The address is the one that TRUSTED_PROXIES yields. */
const withOrigin = (principal: Principal, { ip, id }: IncomingRequest): Principal => ({
  ...principal,
  address: ip,
  ...(id !== undefined && { requestId: id }),
});

function requireAddress(principal: Principal, address: string): Principal {
  const { addresses } = principal;
  if (addresses === undefined || isInRanges(address, addresses)) return principal;
  throw new AccessDeniedError(
    'forbidden',
    `This API key may not be used from ${address}; an operator can change its addresses or TRUSTED_PROXIES.`,
  );
}
