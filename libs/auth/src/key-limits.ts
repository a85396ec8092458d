import { Inject, Injectable } from '@nestjs/common';
import type { AuthConfig } from '@app/config';
import { RateLimit, Redis } from '@app/redis';
import { AUTH_OPTIONS } from './auth-options.js';

/** How often and with how much one key may come. */
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
      sentence: `This API key may send ${maxRequestsPerSecond} requests in a second; send it again a little later.`,
    });
    this.bytes = new RateLimit(redis, {
      name: 'key-bytes',
      points: maxBytesPerSecond,
      seconds: 1,
      sentence: `This API key may send ${maxBytesPerSecond} bytes in a second; send it again a little later.`,
    });
  }

  async takeRequest(keyId: string): Promise<void> {
    await this.requests.take(keyId);
  }

  async takeBytes(keyId: string, bytes: number): Promise<void> {
    await this.bytes.take(keyId, bytes);
  }
}

/** How often one address may come with unknown keys. */
@Injectable()
export class FailedLogins extends RateLimit {
  constructor(redis: Redis, @Inject(AUTH_OPTIONS) { limits }: Pick<AuthConfig, 'limits'>) {
    super(redis, {
      name: 'failed-logins',
      points: limits.maxFailuresPerMinute,
      seconds: 60,
      sentence: 'Too many unknown API keys came from this address; try again later.',
    });
  }
}
