export { ConcurrencyLimiter, type ConcurrencyLimit } from './concurrency-limiter.js';
export {
  connectRedis,
  Redis,
  type ChainableCommander,
  type Pipeline,
  type RedisUse,
} from './connection.js';
export { diskOf, DiskSpace, lowDisks, reserveBytes, shortageOf, type Disk } from './disk-space.js';
export { rewriteFiles } from './file-rewrite.js';
export { tryLock, withLock, type Work } from './lock.js';
export {
  isMissingScript,
  isRedisError,
  queueError,
  QueueFullError,
  QueueUnavailableError,
} from './queue-errors.js';
export { ProjectRates, RateLimit, RateLimitedError } from './rate-limit.js';
export { REDIS_CONFIG } from './redis-config.js';
export { durabilityCheck, requireDurable, rewriteCheck, serverCheck } from './redis-durability.js';
export {
  ALERT_CURSOR,
  ALERT_RULES,
  ALERT_STATUSES,
  API_KEY_USES,
  API_KEYS,
  KEY_PREFIX,
  keyPart,
} from './redis-keys.js';
export { RedisModule } from './redis.module.js';
export { SetBytesCommand } from './set-bytes-command.js';
export { waitForRedis } from './wait-for-redis.js';
export { QueueNotDurableError, WriteGuard, WriteUnconfirmedError } from './write-guard.js';
