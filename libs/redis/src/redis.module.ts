import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { connectRedis, type RedisUse } from './connection.js';
import { DiskSpace } from './disk-space.js';
import { ProjectRates } from './rate-limit.js';
import { REDIS_CONFIG } from './redis-config.js';
import { WriteGuard } from './write-guard.js';

/** The Redis connection of a process, closed last, and the limits that are counted in Redis. */
@Module({})
export class RedisModule implements OnApplicationShutdown {
  constructor(private readonly redis: Redis) {}

  static register(config: RedisConfig, use: RedisUse, logger: Logger): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [
        { provide: REDIS_CONFIG, useValue: config },
        { provide: Redis, useFactory: () => connectRedis(config, use, logger) },
        ConcurrencyLimiter,
        DiskSpace,
        ProjectRates,
        WriteGuard,
      ],
      exports: [REDIS_CONFIG, Redis, ConcurrencyLimiter, DiskSpace, ProjectRates, WriteGuard],
    };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
