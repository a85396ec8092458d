export { AuditTrail, type AuditEntry, type Audited } from './audit-trail.js';
export { CallsQueue } from './calls-queue.js';
export { ChunkQueue } from './chunk-queue.js';
export { FactPublisher } from './fact-publisher.js';
export { PendingWrites } from './pending-writes.js';
export { Ledger, type LedgerBalance, type LedgerCheck } from './ledger.js';
export { KEYS, pendingKey } from './queue-keys.js';
export { isStuck, queueChecks, QueueProgress, type Progress } from './queue-progress.js';
export { QueueModule } from './queue.module.js';
export { type PlacingStep, type VersionsSeed } from './record-order.js';
export { PlacementRefusedError, RecordPublisher, type Placing } from './record-publisher.js';
export { WriteRejectedError, WritePendingError, RecordsStored } from './records-stored.js';
export { VersionNames, versionsKey } from './version-names.js';
export { RecordsQueue } from './records-queue.js';
export {
  CALLS_QUEUES,
  CALLS_STREAM,
  LANES,
  RECORDS_QUEUE,
  STREAM_KEYS,
  type Lane,
  type StreamFact,
} from './streams.js';
