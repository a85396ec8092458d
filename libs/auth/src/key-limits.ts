import type { KeyLimitsConfig } from '@app/config';
import { RateLimit, type Redis } from '@app/redis';

/** How often and with how much one key may come. */
export class KeyLimits {
  private readonly requests: RateLimit;
  private readonly bytes: RateLimit;

  constructor(redis: Redis, { maxRequestsPerSecond, maxBytesPerSecond }: KeyLimitsConfig) {
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

/** How often one address may come with keys that are none. */
export function failedLogins(redis: Redis, { maxFailuresPerMinute }: KeyLimitsConfig): RateLimit {
  return new RateLimit(redis, {
    name: 'failed-logins',
    points: maxFailuresPerMinute,
    seconds: 60,
    sentence: 'Too many unknown API keys came from this address; try again later.',
  });
}
