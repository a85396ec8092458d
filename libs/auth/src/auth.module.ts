import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import type { AuthConfig } from '@app/config';
import { Redis } from '@app/queue';
import { KeyBook } from './key-book.js';
import { Doorkeeper } from './doorkeeper.js';
import { KeyGuard } from './key.guard.js';
import { failedLogins, KeyLimits } from './key-limits.js';
import { requireKeys } from './key-requirement.js';
import { KeyRing } from './key-ring.js';

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
          provide: KeyRing,
          useFactory: (redis: Redis) => new KeyRing(redis, options),
          inject: [Redis],
        },
        { provide: KeyBook, useFactory: (redis: Redis) => new KeyBook(redis), inject: [Redis] },
        {
          provide: APP_GUARD,
          useFactory: (door: Doorkeeper, reflector: Reflector) => new KeyGuard(door, reflector),
          inject: [Doorkeeper, Reflector],
        },
        {
          provide: Doorkeeper,
          useFactory: (keys: KeyRing, redis: Redis) =>
            new Doorkeeper(
              keys,
              failedLogins(redis, options.limits),
              new KeyLimits(redis, options.limits),
            ),
          inject: [KeyRing, Redis],
        },
      ],
      exports: [KeyBook, Doorkeeper],
    };
  }

  /** Before the process listens. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.options.makesFirstKey) await requireKeys(this.options, this.redis);
  }
}
