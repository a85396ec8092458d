import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { BullModule } from '@nestjs/bullmq';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { FactPublisher } from './fact-publisher.js';
import { PendingWrites } from './pending-writes.js';
import { CALLS_QUEUE, QUEUE_PREFIX } from './queue-keys.js';
import { QueueMemory } from './queue-memory.js';
import { QueueProgress } from './queue-progress.js';
import { connectRedis, type RedisUse } from './redis.js';
import { Settlement } from './settlement.js';

/** A fact is retried until it is stored; only a person, or a store that says "never", ends that. */
const JOB_OPTIONS = {
  attempts: 1_000_000_000,
  backoff: { type: 'custom' },
  removeOnComplete: true,
} as const;

/** Gives a process its one connection to Redis and everything that is built on it. */
@Module({})
export class QueueModule implements OnApplicationShutdown {
  constructor(@Inject(Redis) private readonly redis: Redis) {}

  static register(config: RedisConfig, use: RedisUse, logger: Logger): DynamicModule {
    const redis = connectRedis(config.url, use, logger);
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRoot({ connection: redis, prefix: QUEUE_PREFIX }),
        BullModule.registerQueue({
          name: CALLS_QUEUE,
          defaultJobOptions: JOB_OPTIONS,
          streams: { events: { maxLen: 100 } },
        }),
      ],
      providers: [
        { provide: Redis, useValue: redis },
        { provide: QueueMemory, useFactory: () => new QueueMemory(redis, config) },
        { provide: Settlement, useFactory: () => new Settlement(redis) },
        { provide: PendingWrites, useFactory: () => new PendingWrites(redis) },
        { provide: QueueProgress, useFactory: () => new QueueProgress(redis) },
        FactPublisher,
      ],
      exports: [Redis, FactPublisher, PendingWrites, QueueProgress, Settlement, BullModule],
    };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
