import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import type { AuthConfig } from '@app/config';
import { Redis } from '@app/redis';
import { ApiKeyStore } from './api-key-store.js';
import { Authenticator } from './authenticator.js';
import { KeyGuard } from './key.guard.js';
import { failedLogins, KeyLimits } from './key-limits.js';
import { requireKeys } from './key-requirement.js';
import { KeyCache } from './key-cache.js';

const OPTIONS = Symbol('auth options');

interface AuthOptions extends AuthConfig {
  /** Standalone makes its own first key, so it may start without one. */
  readonly makesFirstKey?: boolean;
}

/** Puts the guard in front of every route of the process. */
@Module({})
export class AuthModule implements OnApplicationBootstrap {
  constructor(
    @Inject(OPTIONS) private readonly options: AuthOptions,
    @Inject(Redis) private readonly redis: Redis,
  ) {}

  static register(options: AuthOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      providers: [
        { provide: OPTIONS, useValue: options },
        {
          provide: KeyCache,
          useFactory: (redis: Redis) => new KeyCache(redis, options),
          inject: [Redis],
        },
        {
          provide: ApiKeyStore,
          useFactory: (redis: Redis) => new ApiKeyStore(redis),
          inject: [Redis],
        },
        {
          provide: APP_GUARD,
          useFactory: (door: Authenticator, reflector: Reflector) => new KeyGuard(door, reflector),
          inject: [Authenticator, Reflector],
        },
        {
          provide: Authenticator,
          useFactory: (keys: KeyCache, redis: Redis) =>
            new Authenticator(
              keys,
              failedLogins(redis, options.limits),
              new KeyLimits(redis, options.limits),
            ),
          inject: [KeyCache, Redis],
        },
      ],
      exports: [ApiKeyStore, Authenticator],
    };
  }

  /** Before the process listens. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.options.makesFirstKey) await requireKeys(this.options, this.redis);
  }
}
