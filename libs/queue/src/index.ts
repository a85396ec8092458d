export { AuditTrail, type AuditEntry, type Audited } from './audit-trail.js';
export { FactPublisher } from './fact-publisher.js';
export { tryLock, withLock } from './lock.js';
export { PendingWrites } from './pending-writes.js';
export { Held } from './held-calls.js';
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
export { QueueAway, QueueFull } from './queue-problems.js';
export { durabilityCheck, requireDurable } from './redis-durability.js';
export { isStuck, queueChecks, QueueProgress, type Progress } from './queue-progress.js';
export { QueueModule } from './queue.module.js';
export { ProjectRates } from './project-rates.js';
export { RateLimit, TooMany, type RateLimitOptions } from './rate-limit.js';
export { Slots, type Slot } from './slots.js';
export { connectRedis, Redis, type RedisUse } from './redis.js';
export { Settlement } from './settlement.js';
export { TouchedCalls, type Touch } from './touched-calls.js';
export { CHUNK_MAX_BYTES } from './chunks.js';
export { HeldBytes } from './held-bytes.js';
export { SharedFlush, type FlushLimits } from './shared-flush.js';
export { RECORD_KEYS, RECORDS_QUEUE, versionsKey } from './record-keys.js';
export { type PlacingStep, type VersionsSeed } from './record-order.js';
export { PlacingRefused, RecordPublisher, type Placing } from './record-publisher.js';
export { RecordSettlement } from './record-settlement.js';
export { GivenUp, NotReadableYet, RecordsStored } from './records-stored.js';
export { VersionNames } from './version-names.js';
export { StalePrices } from './stale-prices.js';
