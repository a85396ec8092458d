import { Module } from '@nestjs/common';
import { CostsModule } from '../costs/costs.module.js';
import { CallLog } from './call-log.writer.js';
import { CallsWriter } from './calls.writer.js';

/** The log and the rows of calls. */
@Module({
  imports: [CostsModule],
  providers: [CallLog, CallsWriter],
  exports: [CallLog, CallsWriter],
})
export class CallsModule {}
