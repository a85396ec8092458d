import { Module, type DynamicModule } from '@nestjs/common';
import type { QueryConfig } from '@app/config';
import { CallCosts } from './calls/call-costs.js';
import { CallExpansion } from './calls/call-expansion.js';
import { CallExtrasReader } from './calls/call-extras.reader.js';
import { CallFeedback } from './calls/call-feedback.js';
import { CallsController } from './calls/calls.controller.js';
import { CallsReader } from './calls/calls.reader.js';
import { OwnWrites } from './own-writes.js';
import { Questions } from './questions.js';
import { QUERY_CONFIG } from './tokens.js';

/** Every read of the wire interface. Store, queue and keys are given by the process it runs in. */
@Module({})
export class QueryModule {
  static register(config: QueryConfig): DynamicModule {
    return {
      module: QueryModule,
      controllers: [CallsController],
      providers: [
        { provide: QUERY_CONFIG, useValue: config },
        OwnWrites,
        Questions,
        CallsReader,
        CallExtrasReader,
        CallCosts,
        CallExpansion,
        CallFeedback,
      ],
    };
  }
}
