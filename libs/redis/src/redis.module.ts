import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { connectRedis, type RedisUse } from './connection.js';

/** The one connection of a process, closed after everything that uses it. */
@Module({})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(Redis) private readonly redis: Redis) {}

  static register(config: RedisConfig, use: RedisUse, logger: Logger): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [{ provide: Redis, useFactory: () => connectRedis(config.url, use, logger) }],
      exports: [Redis],
    };
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
