import { STREAM_KEYS } from '@app/queue';
import { ALERT_RULES, ALERT_STATUSES, API_KEY_USES, API_KEYS, KEY_PREFIX } from '@app/redis';

/** Copied as they are. The ledgers are copied for the projects that they name; their counts are counted again. */
export const COPIED_HASHES: readonly string[] = [
  API_KEYS,
  API_KEY_USES,
  ALERT_RULES,
  ALERT_STATUSES,
  `${KEY_PREFIX}:stale-prices`,
  `${KEY_PREFIX}:erasures`,
  STREAM_KEYS.calls.ledger,
  STREAM_KEYS.records.ledger,
];

/** Erasures whose late rows are still to be deleted. */
export const COPIED_SETS: readonly string[] = [
  `${KEY_PREFIX}:recent-erasures`,
  `${KEY_PREFIX}:unchecked-erasures`,
];

/** Rebuilds that were interrupted, which a worker finishes. */
export const COPIED_STRINGS: readonly string[] = [
  `${KEY_PREFIX}:rebuild:calls`,
  `${KEY_PREFIX}:rebuild:records`,
];

/** Read in another way: pending chunks with their payloads, and audit entries. */
export const COPIED_OTHERWISE: readonly string[] = [
  'inflight',
  'pending-chunks',
  'payload',
  'audit',
].map((name) => `${KEY_PREFIX}:${name}`);

/**
 * Never restored, by the part of the key after the prefix: what belongs to running processes and clients, and what is made again
 * from ClickHouse or by use.
 */
export const NOT_COPIED: readonly string[] = [
  // Of processes and clients that are gone.
  'lock',
  'session',
  'sessions',
  'limit',
  'concurrency',
  'claims',
  'tailed',
  'tailed-since',
  'call-changes',
  'pending-writes',
  'pending',
  'rejection',
  'probe',
  'low-disks',
  'old-parts-removal',
  'write-sequence',
  'workers',
  'maintenance-runs',
  'repricing-progress',
  'alert-cursor',
  // The jobs of BullMQ. The reconciler adds a job for every pending chunk, and workers schedule maintenance.
  'calls-fast',
  'calls-bulk',
  'maintenance',
  // Made again from ClickHouse.
  'project-bytes',
  'ledger-moves',
  'progress',
  'reconcile-cursor',
  'watermarks',
  'calls-awaiting-start',
  'audit-head',
  'fact-clock',
  'clock',
  'versions',
  // Keys of earlier versions. There is no backup while chunks of such a version are pending.
  'tickets',
  'awaiting-start',
];
