import { Module } from '@nestjs/common';
import { CostsModule } from '../costs/costs.module.js';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { RecordsModule } from './records.module.js';
import { RecordsProcessor } from './records.processor.js';
import { RecordsStream } from './records.stream.js';

/** Consumes the queue of records. Only the worker process imports it. */
@Module({
  imports: [CostsModule, PipelineModule, RecordsModule],
  providers: [RecordsProcessor, RecordsStream],
})
export class RecordsConsumerModule {}
