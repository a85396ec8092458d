import { Module, type DynamicModule } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { QueryConfig } from '@app/config';
import { ExplainInterceptor } from './explain.interceptor.js';
import { QueryExecutor } from './query-executor.js';
import { ReadAuthorizer } from './read-authorizer.js';
import { StatementQueue } from './statement-queue.js';
import { QUERY_CONFIG } from './tokens.js';

/** What every feature module needs, and therefore global. Store, queue and keys come from the process. */
@Module({})
export class ReadModule {
  static register(config: QueryConfig): DynamicModule {
    return {
      module: ReadModule,
      global: true,
      providers: [
        { provide: QUERY_CONFIG, useValue: config },
        { provide: APP_INTERCEPTOR, useClass: ExplainInterceptor },
        QueryExecutor,
        ReadAuthorizer,
        StatementQueue,
      ],
      exports: [QUERY_CONFIG, QueryExecutor, ReadAuthorizer],
    };
  }
}
