import { Module } from '@nestjs/common';
import { PartsGauge } from '../pipeline/parts-gauge.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { CallClaims } from './call-claims.js';
import { CallSnapshots } from './call-snapshots.js';
import { CallsAwaitingStart } from './calls-awaiting-start.js';
import { CallsFlush, FlushOutcome } from './calls.flush.js';
import { CallsModule } from './calls.module.js';
import { BulkLaneProcessor, FastLaneProcessor } from './calls.processor.js';
import { CallsStream, FlushPriority } from './calls.stream.js';

/** Consumes the queues of calls. Only the worker process imports it. */
@Module({
  imports: [CallsModule, PipelineModule],
  providers: [
    CallClaims,
    CallSnapshots,
    CallsAwaitingStart,
    CallsFlush,
    CallsStream,
    FlushOutcome,
    // A factory, because Nest cannot inject the longest wait, which has a default.
    { provide: FlushPriority, useFactory: () => new FlushPriority() },
    PartsGauge,
    FastLaneProcessor,
    BulkLaneProcessor,
  ],
})
export class CallsConsumerModule {}
