import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { ClickHouseConfig } from '@app/config';
import { connectStore } from './connect-store.js';
import { OldParts } from './old-parts.js';
import { Removal } from './removal.js';
import { Store } from './store.js';

/** The one Store of a process, closed after everything else has stopped, and the removal of rows from it. */
@Module({})
export class ClickHouseModule implements OnApplicationShutdown {
  constructor(@Inject(Store) private readonly store: Store) {}

  static register(config: ClickHouseConfig, application: string): DynamicModule {
    return {
      module: ClickHouseModule,
      global: true,
      providers: [
        { provide: Store, useFactory: () => connectStore(config, application) },
        { provide: OldParts, inject: [Store], useFactory: (store: Store) => new OldParts(store) },
        { provide: Removal, inject: [Store], useFactory: (store: Store) => new Removal(store) },
      ],
      exports: [Store, OldParts, Removal],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}
