import { Global, Module } from '@nestjs/common';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { KEY_PREFIX, ProjectRates, Redis } from '@app/redis';
import { AuditTrail } from './audit-trail.js';
import { FactPublisher } from './fact-publisher.js';
import { PendingWrites } from './pending-writes.js';
import { CallsAwaitingStart } from './calls-awaiting-start.js';
import { Ledger } from './ledger.js';
import { ProjectBacklog } from './project-backlog.js';
import { CALLS_QUEUES, LANES } from './queue-keys.js';
import { QueueMemory } from './queue-memory.js';
import { QueueMetrics } from './queue-metrics.js';
import { QueueProgress } from './queue-progress.js';
import { RECORDS_QUEUE } from './record-keys.js';
import { RecordPublisher } from './record-publisher.js';
import { RecordSettlement } from './record-settlement.js';
import { RecordsStored } from './records-stored.js';
import { StalePrices } from './stale-prices.js';
import { Settlement } from './settlement.js';
import { CallClaims } from './call-claims.js';
import { VersionNames } from './version-names.js';

/** A fact is retried until it is stored; only a person, or a store that says "never", ends that. */
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
    ...[...LANES.map((lane) => CALLS_QUEUES[lane]), RECORDS_QUEUE].map((name) => ({
      name,
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: 100 } },
    })),
  ),
];

/** Whether a fact is accepted, where it waits, and how far it has come. */
const PROVIDERS = [
  AuditTrail,
  CallClaims,
  CallsAwaitingStart,
  Ledger,
  PendingWrites,
  ProjectBacklog,
  QueueMemory,
  QueueMetrics,
  QueueProgress,
  RecordPublisher,
  RecordSettlement,
  RecordsStored,
  Settlement,
  StalePrices,
  VersionNames,
];

/** Everything that is built on the queue. Needs the `RedisModule`. */
@Global()
@Module({
  imports: bull,
  providers: [
    ...PROVIDERS,
    {
      provide: FactPublisher,
      inject: [
        Redis,
        QueueMemory,
        ProjectBacklog,
        ProjectRates,
        ...LANES.map((lane) => getQueueToken(CALLS_QUEUES[lane])),
      ],
      useFactory: (
        redis: Redis,
        memory: QueueMemory,
        backlog: ProjectBacklog,
        rates: ProjectRates,
        fast: Queue,
        bulk: Queue,
      ) => {
        for (const queue of [fast, bulk]) queue.on('error', reportedByTheConnection);
        return new FactPublisher(redis, { fast, bulk }, memory, { backlog, rates });
      },
    },
  ],
  exports: [BullModule, FactPublisher, ...PROVIDERS],
})
export class QueueModule {}

/** BullMQ would print each failed attempt to connect; our connection says once that Redis is away. */
const reportedByTheConnection = () => undefined;
