export {
  AUDIT_END,
  auditChain,
  auditLog,
  auditPage,
  type AuditFilter,
  type AuditLogRow,
} from './audit-log.js';
export { chained, CHAIN_START, ChainCheck, type ChainHead } from './audit-chain.js';
export { verifyAudit } from './audit-verify.js';
export { ClickHouseModule } from './clickhouse.module.js';
export { addTextIndex, isMigrated, migrate, migrationStatus } from './migrate.js';
export { progressLine, type MigrationProgress } from './migration-run.js';
export { readMigrations } from './migrations.js';
export { requireSpace } from './disk-space.js';
export { freestDisks } from './disks.js';
export { cutoffOf, expiredCalls, expiredWithoutRow, retainedProjects } from './expired-calls.js';
export { feedbackBefore, feedbackOnCalls, orphanedFeedback } from './expired-feedback.js';
export { expiryPreview, type ExpiredOfProject } from './expiry-preview.js';
export { OldParts, PartSettingsError } from './old-parts.js';
export { Removal } from './removal.js';
export { renderMigration } from './render-migration.js';
export { withinScope } from './scope.js';
export { distributedEngine } from './sharding.js';
export { onEveryNode, storedTable, systemTable, topologyOf, type Topology } from './topology.js';
export {
  versionsWithoutLatest,
  objectAliases,
  objectTags,
  objectVersions,
  withLatest,
  type VersionWithoutLatestRow,
  type VersionRow,
} from './object-versions.js';
export {
  annotationItems,
  annotationQueues,
  type ItemRow,
  type QueueRow,
} from './annotation-queues.js';
export { sourceLinks, type SourceLinkRow } from './dataset-sources.js';
export { ByteWriter } from './byte-writer.js';
export type { ByteRange, EncodedMap, Table } from './columns.js';
export {
  and,
  bind,
  Bound,
  define,
  Definition,
  join,
  Lookup,
  atMicros,
  atMillis,
  raw,
  Sql,
  sql,
} from './sql.js';
export { connectStore } from './connect-store.js';
export { ShardNodes } from './shard-nodes.js';
export { connectClickHouse, connectForMigrations, type ClickHouseClient } from './connection.js';
export { applyStorage, isStorageApplied, storageProblem } from './storage.js';
export { Store } from './store.js';
export { waitForClickHouse } from './wait-for-clickhouse.js';
export { partsCheck, storeChecks } from './store-checks.js';
export {
  QueryTooLargeError,
  QueryTimeoutError,
  StoreUnavailableError,
  StoreRefusedError,
} from './store-errors.js';
export { EVERYWHERE_TABLES, TABLE_NAMES } from './sharding.js';
export { tabSeparated, type LineDecoder } from './tab-separated.js';
export { TextRows } from './text-rows.js';
export { TableBackups } from './table-backups.js';
export { AGENT_SPANS, type AgentSpanRow } from './tables/agent-spans.js';
export {
  ANNOTATION_ITEMS,
  ANNOTATION_QUEUES,
  type AnnotationItemRow,
  type AnnotationQueueRow,
  type SetValue,
} from './tables/annotations.js';
export { AUDIT } from './tables/audit.js';
export { PROJECTS, type ProjectRow } from './tables/projects.js';
export { CALL_EVENTS, type CallEventRow } from './tables/call-events.js';
export {
  CALLS,
  DELETED_VERSION,
  FACTS_FOLDED,
  type CallRow,
  type CallStatus,
} from './tables/calls.js';
export { DATASET_SOURCES, type DatasetSourceRow } from './tables/dataset-sources.js';
export { DEAD_LETTERS, type DeadLetterRow } from './tables/dead-letters.js';
export { RECEIPT_TOTALS } from './tables/receipt-totals.js';
export { RECEIPTS, type ReceiptRow } from './tables/receipts.js';
export { FEEDBACK, type FeedbackRow } from './tables/feedback.js';
export { FILES, type FileRow } from './tables/files.js';
export {
  OBJECT_ALIASES,
  OBJECT_TAGS,
  OBJECTS,
  type ObjectAliasRow,
  type ObjectRow,
  type ObjectTagRow,
} from './tables/objects.js';
export { DEFAULT_LEVEL_ID, PRICES, type PriceRow } from './tables/prices.js';
export { RECORD_EVENTS, type RecordEventRow } from './tables/record-events.js';
export { ROOT_USAGE, type RootUsageRow } from './tables/root-usage.js';
export {
  TABLE_POSITIONS,
  TABLE_ROWS,
  TABLES,
  type TableMetaRow,
  type TablePositionRow,
  type TableRowRow,
} from './tables/tables.js';
