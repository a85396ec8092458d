import { Module } from '@nestjs/common';
import { CallDeletion } from './call-deletion.js';
import { CallIntake } from './call-intake.js';
import { CallsController } from './calls.controller.js';
import { CallsV2Controller } from './calls-v2.controller.js';
import { SubtreeReader } from './subtree.reader.js';

@Module({
  controllers: [CallsController, CallsV2Controller],
  providers: [CallDeletion, CallIntake, SubtreeReader],
  exports: [CallDeletion, CallIntake],
})
export class CallsModule {}
