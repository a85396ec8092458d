import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Redis } from '@app/redis';
import { ApiKeyStore } from './api-key-store.js';
import { AUTH_OPTIONS, type AuthOptions } from './auth-options.js';
import { Authenticator, FailedLogins, KeyLimits } from './authenticator.js';
import { KeyGuard } from './key.guard.js';
import { requireKeys } from './key-requirement.js';
import { KeyCache } from './key-cache.js';
import { SessionStore } from './session-store.js';

/** Guards every route of the process. */
@Module({})
export class AuthModule implements OnApplicationBootstrap {
  constructor(
    @Inject(AUTH_OPTIONS) private readonly options: AuthOptions,
    private readonly redis: Redis,
  ) {}

  static register(options: AuthOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      providers: [
        { provide: AUTH_OPTIONS, useValue: options },
        { provide: APP_GUARD, useClass: KeyGuard },
        ApiKeyStore,
        Authenticator,
        FailedLogins,
        KeyCache,
        KeyLimits,
        SessionStore,
      ],
      exports: [ApiKeyStore, Authenticator],
    };
  }

  /** Nest calls this before the process listens. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.options.makesFirstKey) await requireKeys(this.options, this.redis);
  }
}
