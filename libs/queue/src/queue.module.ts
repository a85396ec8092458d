import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import {
  ConcurrencyLimiter,
  KEY_PREFIX,
  ProjectRates,
  Redis,
  RedisModule,
  type RedisUse,
} from '@app/redis';
import type { RedisConfig } from '@app/config';
import type { Logger } from '@app/observability';
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

const RECORDS = [RecordPublisher, RecordSettlement, VersionNames];

/** Everything that is built on the queue's Redis. */
@Module({})
export class QueueModule {
  static register(config: RedisConfig, use: RedisUse, logger: Logger): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [RedisModule.register(config, use, logger), ...bull],
      providers: [
        {
          provide: FactPublisher,
          inject: [
            Redis,
            QueueMemory,
            ProjectRates,
            ...LANES.map((lane) => getQueueToken(CALLS_QUEUES[lane])),
          ],
          useFactory: (
            redis: Redis,
            memory: QueueMemory,
            rates: ProjectRates,
            fast: Queue,
            bulk: Queue,
          ) => {
            for (const queue of [fast, bulk]) queue.on('error', reportedByTheConnection);
            const backlog = new ProjectBacklog(redis, config.limits.maxPendingBytes);
            return new FactPublisher(redis, { fast, bulk }, memory, { backlog, rates });
          },
        },
        onRedis(AuditTrail, (redis) => new AuditTrail(redis)),
        onRedis(ProjectRates, (redis) => new ProjectRates(redis, config.limits)),
        onRedis(ConcurrencyLimiter, (redis) => new ConcurrencyLimiter(redis)),
        onRedis(QueueMemory, (redis) => new QueueMemory(redis, config)),
        onRedis(Settlement, (redis) => new Settlement(redis)),
        onRedis(PendingWrites, (redis) => new PendingWrites(redis)),
        onRedis(QueueProgress, (redis) => new QueueProgress(redis)),
        RecordPublisher,
        onRedis(RecordsStored, (redis) => new RecordsStored(redis)),
        onRedis(RecordSettlement, (redis) => new RecordSettlement(redis)),
        onRedis(VersionNames, (redis) => new VersionNames(redis)),
        QueueMetrics,
        onRedis(CallClaims, (redis) => new CallClaims(redis)),
        onRedis(StalePrices, (redis) => new StalePrices(redis)),
        onRedis(CallsAwaitingStart, (redis) => new CallsAwaitingStart(redis)),
        onRedis(Ledger, (redis) => new Ledger(redis)),
      ],
      exports: [
        RedisModule,
        BullModule,
        AuditTrail,
        FactPublisher,
        CallsAwaitingStart,
        Ledger,
        PendingWrites,
        ProjectRates,
        QueueProgress,
        Settlement,
        ConcurrencyLimiter,
        StalePrices,
        CallClaims,
        ...RECORDS,
      ],
    };
  }
}

function onRedis<T>(
  provide: new (...args: never[]) => T,
  make: (redis: Redis) => T,
): FactoryProvider<T> {
  return { provide, inject: [Redis], useFactory: make };
}

/** BullMQ would print each failed attempt to connect; our connection says once that Redis is away. */
const reportedByTheConnection = () => undefined;
