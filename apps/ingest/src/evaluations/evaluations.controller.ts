import { Body, Controller, Headers, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import {
  EvaluationRunCreateRecord,
  EvaluationRunCreateResponse,
  EvaluationRunFinishRecord,
  FinishResponse,
  PredictionCreateRecord,
  PredictionCreateResponse,
  ScoreCreateRecord,
  ScoreCreateResponse,
} from '@app/contracts';
import { ApiProjectPath, Operation, PathProject, PROJECT_PATH } from '@app/http';
import { RETRY_ID } from '../calls/calls.controller.js';
import { recordOf } from '../record-body.js';
import { EvaluationRuns } from './evaluation-runs.js';
import { Predictions } from './predictions.js';
import { Scores } from './scores.js';

/** Evaluations without an SDK. Runs, predictions and scores are calls, the same as those of an SDK. */
@ApiTags('evaluations')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class EvaluationsController {
  constructor(
    private readonly runs: EvaluationRuns,
    private readonly predictions: Predictions,
    private readonly scores: Scores,
  ) {}

  @Operation('evaluation_runs', {
    needs: 'write',
    summary: 'Start a run of an evaluation',
    body: EvaluationRunCreateRecord,
    response: EvaluationRunCreateResponse,
  })
  async createRun(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<EvaluationRunCreateResponse> {
    const record = recordOf(EvaluationRunCreateRecord, body);
    return { evaluation_run_id: await this.runs.create(caller, projectId, record, retryId) };
  }

  @Operation('evaluation_runs/:evaluation_run_id/finish', {
    needs: 'write',
    summary: 'End a run with the means of its scores',
    body: EvaluationRunFinishRecord,
    response: FinishResponse,
  })
  @ApiParam({ name: 'evaluation_run_id', type: String })
  async finishRun(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Param('evaluation_run_id') runId: string,
    @Caller() caller: Principal,
  ): Promise<FinishResponse> {
    const record = recordOf(EvaluationRunFinishRecord, body, ['summary']);
    await this.runs.finish(caller, projectId, runId, record);
    return { success: true };
  }

  @Operation('predictions', {
    needs: 'write',
    summary: 'Record a prediction of a model',
    body: PredictionCreateRecord,
    response: PredictionCreateResponse,
  })
  async createPrediction(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<PredictionCreateResponse> {
    const record = recordOf(PredictionCreateRecord, body, ['inputs', 'output']);
    return { prediction_id: await this.predictions.create(caller, projectId, record, retryId) };
  }

  @Operation('predictions/:prediction_id/finish', {
    needs: 'write',
    summary: 'End the trial of a prediction with its scores',
    response: FinishResponse,
  })
  @ApiParam({ name: 'prediction_id', type: String })
  async finishPrediction(
    @PathProject() projectId: string,
    @Param('prediction_id') predictionId: string,
    @Caller() caller: Principal,
  ): Promise<FinishResponse> {
    await this.predictions.finish(caller, projectId, predictionId);
    return { success: true };
  }

  @Operation('scores', {
    needs: 'write',
    summary: 'Record the score of a prediction',
    body: ScoreCreateRecord,
    response: ScoreCreateResponse,
  })
  async createScore(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<ScoreCreateResponse> {
    const record = recordOf(ScoreCreateRecord, body, ['value']);
    return { score_id: await this.scores.create(caller, projectId, record, retryId) };
  }
}
