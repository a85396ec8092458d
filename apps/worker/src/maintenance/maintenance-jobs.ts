import type { Type } from '@nestjs/common';
import { AlertsJob } from '../alerts/alerts-job.js';
import { AuditJob } from '../audit/audit-job.js';
import { REPRICING_EVERY_MS, RepricingJob } from '../costs/repricing-job.js';
import { ErasureJob } from '../erasure/erasure-job.js';
import { LateRecordsJob } from '../erasure/late-records-job.js';
import { LateRowsJob } from '../erasure/late-rows-job.js';
import { PartSettingsJob } from '../erasure/part-settings-job.js';
import { ReconcileJob } from '../pipeline/reconcile-job.js';
import { RetentionJob } from '../projects/retention-job.js';
import { LedgerCheckJob } from '../repair/ledger-check-job.js';
import { OrphanJob } from '../repair/orphan-job.js';
import { RebuildRecoveryJob } from '../repair/rebuild-recovery-job.js';
import { RepairJob } from '../repair/repair-job.js';

/** Periodic work. A run may be cut off at any point and repeated, so every step is safe to repeat. */
export interface MaintenanceJob {
  /** `signal` aborts when the worker shuts down: a job that can stop early does. */
  run(signal: AbortSignal): Promise<void>;
}

/** `name` is also the name of the lock, the BullMQ job scheduler and the label on `/metrics`. */
export interface ScheduledJob extends MaintenanceJob {
  readonly name: string;
  readonly everyMs: number;
}

/** Every periodic job of the workers. docs/operations/maintenance.md has the same list. */
export const MAINTENANCE_JOBS: readonly {
  readonly name: string;
  readonly everyMs: number;
  readonly job: Type<MaintenanceJob>;
}[] = [
  { name: 'audit', everyMs: 1000, job: AuditJob },
  { name: 'reconcile', everyMs: 10_000, job: ReconcileJob },
  { name: 'alerts', everyMs: 10_000, job: AlertsJob },
  { name: 'reprice', everyMs: REPRICING_EVERY_MS, job: RepricingJob },
  { name: 'sweep', everyMs: 60_000, job: RepairJob },
  { name: 'finish-rebuilds', everyMs: 60_000, job: RebuildRecoveryJob },
  { name: 'sweep-orphans', everyMs: 60_000, job: OrphanJob },
  { name: 'erase', everyMs: 5_000, job: ErasureJob },
  { name: 'erase-late-rows', everyMs: 60_000, job: LateRowsJob },
  { name: 'erase-late-records', everyMs: 600_000, job: LateRecordsJob },
  { name: 'reset-part-settings', everyMs: 60_000, job: PartSettingsJob },
  { name: 'check-ledger', everyMs: 60_000, job: LedgerCheckJob },
  { name: 'expire', everyMs: 600_000, job: RetentionJob },
];

/** Injects the jobs of the table with their names and periods. */
export const SCHEDULED_JOBS = Symbol('scheduled jobs');
