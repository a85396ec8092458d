import { Redis } from 'ioredis';
import type { Logger } from '@app/observability';

export { Redis, type ChainableCommander } from 'ioredis';

const DEFAULT_REDIS_URL = 'redis://127.0.0.1:6379';

/**
 * How a process uses Redis. A producer serves clients, so it fails fast: no offline queue and no long waits. It never repeats
 * a command by itself, because Redis may have executed it before the connection broke, and counts would double. A consumer
 * has no waiting client and retries without limit.
 */
export type RedisUse = 'producer' | 'consumer';

const USES = {
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 5000 },
  consumer: { maxRetriesPerRequest: null },
} as const;

export function connectRedis(url: string, use: RedisUse, logger: Logger): Redis {
  const redis = new Redis(url || DEFAULT_REDIS_URL, {
    ...USES[use],
    connectTimeout: 3000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), 1000),
  });
  reportConnection(redis, logger);
  return redis;
}

/** Logs one line when Redis becomes unavailable and one when it is available again. */
function reportConnection(redis: Redis, logger: Logger): void {
  let isUnavailable = false;
  redis.on('error', (error: Error) => {
    if (!isUnavailable)
      logger.warn('Redis unavailable; reconnecting until it responds', { error: error.message });
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) logger.info('Redis available again');
    isUnavailable = false;
  });
}
