import { Module } from '@nestjs/common';
import { CallDeletion } from './calls/call-deletion.js';
import { CallIntake } from './calls/call-intake.js';
import { CallsController } from './calls/calls.controller.js';
import { CallsV2Controller } from './calls/calls-v2.controller.js';
import { SubtreeReader } from './calls/subtree.reader.js';
import { Clock } from './clock.js';

/** Every write of the wire interface. Queue, store and keys are given by the process it runs in. */
@Module({
  controllers: [CallsController, CallsV2Controller],
  providers: [CallDeletion, CallIntake, Clock, SubtreeReader],
})
export class IngestModule {}
