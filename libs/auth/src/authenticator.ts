import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthConfig } from '@app/config';
import { RateLimit, Redis } from '@app/redis';
import { AccessDeniedError } from './access-denied-error.js';
import { keyIn } from './api-key.js';
import { AUTH_OPTIONS } from './auth-options.js';
import type { Principal } from './project-access.js';
import { KeyCache } from './key-cache.js';

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

/** Limits the attempts with unknown keys from one address. */
@Injectable()
export class FailedLogins extends RateLimit {
  constructor(redis: Redis, @Inject(AUTH_OPTIONS) { limits }: Pick<AuthConfig, 'limits'>) {
    super(redis, {
      name: 'failed-logins',
      points: limits.maxFailuresPerMinute,
      seconds: 60,
      message: 'Too many unknown API keys came from this address; retry later.',
    });
  }
}

export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'ip' | 'body'> & {
  principal?: Principal;
};

/** Identifies the caller before the body is read, so that unknown callers cannot use memory. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: KeyCache,
    private readonly logins: FailedLogins,
    private readonly limits: KeyLimits,
  ) {}

  /** Rejects with AccessDeniedError or RateLimitedError. The result is stored with the request. */
  async identify(request: IncomingRequest): Promise<Principal> {
    if (request.principal !== undefined) return request.principal;
    const principal = await this.principalOf(keyIn(request.headers.authorization), request.ip);
    await this.limits.consumeRequest(principal.keyId);
    const declaredBytes = Number(request.headers['content-length'] ?? 0);
    await this.limits.consumeBytes(principal.keyId, declaredBytes);
    request.principal = principal;
    return principal;
  }

  /** Counts a body without Content-Length after it was read. */
  async countBody({ headers, body, principal }: IncomingRequest): Promise<void> {
    if (headers['content-length'] !== undefined || !Buffer.isBuffer(body) || !principal) return;
    await this.limits.consumeBytes(principal.keyId, body.length);
  }

  /** An address with too many unknown keys is blocked even for a valid key, which prevents brute force. */
  private async principalOf(key: string | undefined, address: string): Promise<Principal> {
    if (key === undefined) throw new AccessDeniedError('unauthenticated');
    const known = this.keys.fromCache(key);
    if (known?.principal !== undefined) return known.principal;
    this.logins.refuseBlocked(address);
    const principal = known === undefined ? await this.keys.find(key) : undefined;
    if (principal !== undefined) return principal;
    await this.logins.consume(address);
    throw new AccessDeniedError('unknown_key');
  }
}
