export { CallChanges, isBefore, type Changes } from './call-changes.js';
export { AuditTrail, type AuditBatch, type AuditEntry, type Audited } from './audit-trail.js';
export type { ChunkJob } from './queue-transaction.js';
export { CallsQueue } from './calls-queue.js';
export { ChunkQueue } from './chunk-queue.js';
export { ErasureRequests, OPEN_ERASURES_MAX, type ErasureRequest } from './erasure-requests.js';
export { FactClock } from './fact-clock.js';
export { FactPublisher } from './fact-publisher.js';
export { flawOf } from './confusable-project.js';
export { NewProjects } from './new-projects.js';
export { PendingChunks, type SavedChunk } from './pending-chunks.js';
export { PendingWrites, type PendingSince } from './pending-writes.js';
export {
  EQUATIONS,
  EXPIRY_HOUR_UTC,
  EXPIRY_WATERMARK,
  Ledger,
  type BrokenLedger,
  type CountedBalance,
  type LedgerBalance,
  type LedgerCheck,
  type LedgerMove,
} from './ledger.js';
export {
  MAINTENANCE_QUEUE,
  MaintenanceQueue,
  MaintenanceQueueModule,
} from './maintenance-queue.js';
export { MaintenanceRuns } from './maintenance-runs.js';
export { QueueLanes } from './queue-lanes.js';
export { StalePrices } from './stale-prices.js';
export { QueueMemory } from './queue-memory.js';
export { queueChecks, QueueProgress } from './queue-progress.js';
export { QueueRates } from './queue-rates.js';
export { secondsLeft, type MemorySample } from './queue-seconds-left.js';
export { WorkerPresence } from './worker-presence.js';
export { QueueModule } from './queue.module.js';
export { claimKey, ItemClaims } from './item-claims.js';
export {
  recordClockKey,
  type ClaimRefusal,
  type ClaimSeed,
  type OrderingStep,
  type VersionsSeed,
} from './record-order.js';
export { OrderingRefusedError, RecordPublisher } from './record-publisher.js';
export { IdleRecords } from './idle-records.js';
export { WriteRejectedError, WritePendingError, RecordsStored } from './records-stored.js';
export { RestoredClocks } from './restored-clocks.js';
export { VersionNames, versionsKey } from './version-names.js';
export { RecordsQueue } from './records-queue.js';
export { CALLS_QUEUES, KEYS, RECORDS_QUEUE, STREAM_KEYS, type StreamFact } from './streams.js';
