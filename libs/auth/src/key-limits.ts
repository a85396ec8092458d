import { Inject, Injectable } from '@nestjs/common';
import type { AuthConfig } from '@app/config';
import { RateLimit, Redis } from '@app/redis';
import { AUTH_OPTIONS } from './auth-options.js';

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
