import { Redis } from 'ioredis';
import type { Logger } from '@app/observability';

export { Redis, type ChainableCommander } from 'ioredis';

const DEFAULT_REDIS_URL = 'redis://127.0.0.1:6379';

/**
 * How a process uses Redis. A producer answers a client, so it fails fast: no offline queue, no long waits, and nothing
 * is sent again by itself: Redis may have done it before the connection broke, and counts would be doubled. A consumer
 * has nobody waiting and reconnects for as long as it takes.
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

/** One line when Redis goes away and one when it is back, however many attempts lie between. */
function reportConnection(redis: Redis, logger: Logger): void {
  let isAway = false;
  redis.on('error', (error: Error) => {
    if (!isAway)
      logger.warn('Redis does not answer; trying again until it does.', { error: error.message });
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.info('Redis answers again.');
    isAway = false;
  });
}
