export { ConcurrencyLimiter, type ConcurrencyLimit } from './concurrency-limiter.js';
export { connectRedis, Redis, type ChainableCommander, type RedisUse } from './connection.js';
export { tryLock, withLock } from './lock.js';
export { ProjectRates } from './project-rates.js';
export { queueError, QueueFullError, QueueUnavailableError } from './queue-errors.js';
export { RateLimit, RateLimitedError, type RateLimitOptions } from './rate-limit.js';
export { durabilityCheck, requireDurable } from './redis-durability.js';
export { API_KEY_USES, API_KEYS, KEY_PREFIX, keyPart } from './redis-keys.js';
export { RedisModule } from './redis.module.js';
