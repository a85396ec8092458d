import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { RefsModule } from '../refs/refs.module.js';
import { DatasetRows } from './dataset-rows.js';
import { EvalResultsController } from './eval-results.controller.js';
import { EvalResultsReader } from './eval-results.reader.js';
import { EvaluationsController } from './evaluations.controller.js';
import { EvaluationsReader } from './evaluations.reader.js';
import { ResultSummaryReader } from './result-summary.reader.js';
import { TrialsReader } from './trials.reader.js';

@Module({
  imports: [CallsModule, RefsModule],
  controllers: [EvaluationsController, EvalResultsController],
  providers: [DatasetRows, EvalResultsReader, EvaluationsReader, ResultSummaryReader, TrialsReader],
})
export class EvaluationsModule {}
