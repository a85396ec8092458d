import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import type { AuthConfig } from '@app/config';
import { Redis } from '@app/queue';
import { KeyGuard } from './key.guard.js';
import { KeyRing } from './key-ring.js';

/** Puts the guard in front of every route of the process. */
@Module({})
export class AuthModule {
  static register(config: AuthConfig): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      providers: [
        {
          provide: KeyRing,
          useFactory: (redis: Redis) => new KeyRing(redis, config),
          inject: [Redis],
        },
        {
          provide: APP_GUARD,
          useFactory: (keys: KeyRing, reflector: Reflector) => new KeyGuard(keys, reflector),
          inject: [KeyRing, Reflector],
        },
      ],
      exports: [KeyRing],
    };
  }
}
