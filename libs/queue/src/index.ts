export { AuditTrail, type AuditEntry, type Audited } from './audit-trail.js';
export { FactPublisher } from './fact-publisher.js';
export { tryLock, withLock } from './lock.js';
export { PendingWrites } from './pending-writes.js';
export { CallsAwaitingStart } from './calls-awaiting-start.js';
export { Ledger, type LedgerBalance, type LedgerCheck } from './ledger.js';
export {
  CALLS_QUEUES,
  KEYS,
  LANES,
  payloadKey,
  pendingKey,
  QUEUE_PREFIX,
  type Lane,
} from './queue-keys.js';
export { QueueUnavailableError, QueueFullError } from './queue-errors.js';
export { durabilityCheck, requireDurable } from './redis-durability.js';
export { isStuck, queueChecks, QueueProgress, type Progress } from './queue-progress.js';
export { QueueModule } from './queue.module.js';
export { ProjectRates } from './project-rates.js';
export { RateLimit, RateLimitedError, type RateLimitOptions } from './rate-limit.js';
export { ConcurrencyLimiter, type ConcurrencyLimit } from './concurrency-limiter.js';
export { connectRedis, Redis, type RedisUse } from './redis.js';
export { Settlement } from './settlement.js';
export { CallClaims, type Claim } from './call-claims.js';
export { ByteBudget } from './byte-budget.js';
export { SharedFlush, type FlushLimits } from './shared-flush.js';
export { RECORD_KEYS, RECORDS_QUEUE, versionsKey } from './record-keys.js';
export { type PlacingStep, type VersionsSeed } from './record-order.js';
export { PlacementRefusedError, RecordPublisher, type Placing } from './record-publisher.js';
export { RecordSettlement } from './record-settlement.js';
export { WriteRejectedError, WritePendingError, RecordsStored } from './records-stored.js';
export { VersionNames } from './version-names.js';
export { StalePrices } from './stale-prices.js';
