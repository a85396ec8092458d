import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { ClickHouseConfig } from '@app/config';
import { connectClickHouse } from './connection.js';
import { Store } from './store.js';

/** Provides the one Store of a process, and closes it after everything else has stopped. */
@Module({})
export class ClickHouseModule implements OnApplicationShutdown {
  constructor(@Inject(Store) private readonly store: Store) {}

  static register(config: ClickHouseConfig, application: string): DynamicModule {
    return {
      module: ClickHouseModule,
      global: true,
      providers: [
        { provide: Store, useFactory: () => new Store(connectClickHouse(config, application)) },
      ],
      exports: [Store],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}
