import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessDeniedError } from './access-denied-error.js';
import { keyIn } from './api-key.js';
import type { Principal } from './grant.js';
import { KeyCache } from './key-cache.js';
import { FailedLogins, KeyLimits } from './key-limits.js';

export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'ip' | 'body'> & {
  principal?: Principal;
};

/** Knows who is asking, or throws. Asked before a body is read: strangers get no memory of ours. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: KeyCache,
    private readonly logins: FailedLogins,
    private readonly limits: KeyLimits,
  ) {}

  /** Once per request; what was found stays with it. */
  async identify(request: IncomingRequest): Promise<Principal> {
    if (request.principal !== undefined) return request.principal;
    const principal = await this.holderOf(keyIn(request.headers.authorization), request.ip);
    await this.limits.takeRequest(principal.keyId);
    const announced = Number(request.headers['content-length'] ?? 0);
    await this.limits.takeBytes(principal.keyId, announced);
    request.principal = principal;
    return principal;
  }

  /** A body whose length nobody announced is counted once it is there. */
  async countBody({ headers, body, principal }: IncomingRequest): Promise<void> {
    if (headers['content-length'] !== undefined || !Buffer.isBuffer(body) || !principal) return;
    await this.limits.takeBytes(principal.keyId, body.length);
  }

  /** An address that has guessed too often is not even told whether its next guess is right. */
  private async holderOf(key: string | undefined, address: string): Promise<Principal> {
    if (key === undefined) throw new AccessDeniedError('unauthenticated');
    const known = this.keys.recall(key);
    if (known?.principal !== undefined) return known.principal;
    this.logins.refuseBlocked(address);
    const principal = known === undefined ? await this.keys.find(key) : undefined;
    if (principal !== undefined) return principal;
    await this.logins.take(address);
    throw new AccessDeniedError('unknown_key');
  }
}
