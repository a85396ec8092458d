import { Global, Module } from '@nestjs/common';
import { BullModule } from '@nestjs/bullmq';
import { KEY_PREFIX, Redis } from '@app/redis';
import { AuditTrail } from './audit-trail.js';
import { CallChanges } from './call-changes.js';
import { CallsQueue } from './calls-queue.js';
import { ErasureRequests } from './erasure-requests.js';
import { FactClock } from './fact-clock.js';
import { FactPublisher } from './fact-publisher.js';
import { PendingWrites } from './pending-writes.js';
import { IntakePace } from './intake-pace.js';
import { ItemClaims } from './item-claims.js';
import { Ledger } from './ledger.js';
import { NewProjects } from './new-projects.js';
import { MaintenanceRuns } from './maintenance-runs.js';
import { ProjectBacklog } from './project-backlog.js';
import { QueueLanes } from './queue-lanes.js';
import { QueueMemory } from './queue-memory.js';
import { QueueMetrics } from './queue-metrics.js';
import { QueueProgress } from './queue-progress.js';
import { RecordPublisher } from './record-publisher.js';
import { RecordsQueue } from './records-queue.js';
import { IdleRecords } from './idle-records.js';
import { RecordsStored } from './records-stored.js';
import { RestoredClocks } from './restored-clocks.js';
import { StalePrices } from './stale-prices.js';
import { CALLS_QUEUES, RECORDS_QUEUE } from './streams.js';
import { VersionNames } from './version-names.js';
import { WorkerPresence } from './worker-presence.js';

/** A job is retried until its facts are stored or dead-lettered. */
const JOB_OPTIONS = {
  attempts: 1_000_000_000,
  backoff: { type: 'custom' },
  removeOnComplete: true,
} as const;

const bull = [
  BullModule.forRootAsync({
    inject: [Redis],
    useFactory: (redis: Redis) => ({ connection: redis, prefix: KEY_PREFIX }),
  }),
  BullModule.registerQueue(
    ...[...Object.values(CALLS_QUEUES), RECORDS_QUEUE].map((name) => ({
      name,
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: 100 } },
    })),
  ),
];

const PROVIDERS = [
  AuditTrail,
  CallChanges,
  CallsQueue,
  ErasureRequests,
  FactClock,
  FactPublisher,
  IntakePace,
  ItemClaims,
  Ledger,
  MaintenanceRuns,
  NewProjects,
  PendingWrites,
  ProjectBacklog,
  QueueLanes,
  QueueMemory,
  QueueMetrics,
  QueueProgress,
  RecordPublisher,
  RecordsQueue,
  IdleRecords,
  RecordsStored,
  RestoredClocks,
  StalePrices,
  VersionNames,
  WorkerPresence,
];

/** Publishers, queues and their progress. Needs the `RedisModule`. */
@Global()
@Module({
  imports: bull,
  providers: PROVIDERS,
  exports: [BullModule, ...PROVIDERS],
})
export class QueueModule {}
