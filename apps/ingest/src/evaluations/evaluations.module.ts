import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { FeedbackModule } from '../feedback/feedback.module.js';
import { ObjectsModule } from '../objects/objects.module.js';
import { EvaluationCallsReader } from './evaluation-calls.reader.js';
import { EvaluationDeletionController } from './evaluation-deletion.controller.js';
import { EvaluationOps } from './evaluation-ops.js';
import { EvaluationRuns } from './evaluation-runs.js';
import { EvaluationsController } from './evaluations.controller.js';
import { Predictions } from './predictions.js';
import { Scores } from './scores.js';

@Module({
  imports: [CallsModule, FeedbackModule, ObjectsModule],
  controllers: [EvaluationsController, EvaluationDeletionController],
  providers: [EvaluationCallsReader, EvaluationOps, EvaluationRuns, Predictions, Scores],
})
export class EvaluationsModule {}
