import { Controller, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { requireRefAccess } from '@app/auth';
import { EvaluationRunSchema, PredictionSchema, ScoreSchema } from '@app/contracts';
import {
  ApiProjectPath,
  countIn,
  JsonResponse,
  jsonLines as streamedLines,
  Operation,
  PathProject,
  PROJECT_PATH,
  textIn,
  textsIn,
  type QueryParameter,
  type QueryString,
} from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead, type ReadContext } from '../read-context.js';
import { explainedLines, jsonLines } from '../response-stream.js';
import { EvaluationsReader, type Page } from './evaluations.reader.js';

const LIST_MAX = 1000;

type Parameters = Readonly<Record<string, QueryParameter>>;

const PAGE: Parameters = {
  limit: { type: 'integer', description: 'Maximum number of results.' },
  offset: { type: 'integer', description: 'Number of results to skip.' },
};
const OF_RUN: Parameters = {
  evaluation_run_id: { type: 'string', description: 'Those of this run.' },
  ...PAGE,
};
const RUNS: Parameters = {
  evaluations: { type: 'string', isArray: true, description: 'Runs of any of these evaluations.' },
  models: { type: 'string', isArray: true, description: 'Runs of any of these models.' },
  evaluation_run_ids: { type: 'string', isArray: true, description: 'Any of these runs.' },
  ...PAGE,
};

const pageIn = (query: QueryString): Page => ({
  limit: countIn(query, 'limit') ?? null,
  offset: countIn(query, 'offset') ?? null,
});

/** Runs of evaluations, their predictions and their scores: calls of this interface and of the SDKs. */
@ApiTags('evaluations')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class EvaluationsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly evaluations: EvaluationsReader,
  ) {}

  @Operation('evaluation_runs', {
    method: 'GET',
    needs: 'read',
    summary: 'List runs of evaluations, one per line',
    query: RUNS,
    response: EvaluationRunSchema,
    type: 'application/jsonl',
  })
  async runs(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const filter = {
      evaluations: textsIn(query, 'evaluations', LIST_MAX),
      models: textsIn(query, 'models', LIST_MAX),
      evaluation_run_ids: textsIn(query, 'evaluation_run_ids', LIST_MAX),
      ...pageIn(query),
    };
    requireRefAccess(read.principal, 'read', [
      ...(filter.evaluations ?? []),
      ...(filter.models ?? []),
    ]);
    const context = await this.authorizer.authorizeRead(read, projectId);
    return listed(this.evaluations.runs(projectId, filter, context), context);
  }

  @Operation('evaluation_runs/:evaluation_run_id', {
    method: 'GET',
    needs: 'read',
    summary: 'Read one run of an evaluation',
    response: EvaluationRunSchema,
  })
  @ApiParam({ name: 'evaluation_run_id', type: String })
  async run(
    @PathProject() projectId: string,
    @Param('evaluation_run_id') id: string,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, projectId);
    return new JsonResponse(await this.evaluations.run(projectId, id, context));
  }

  @Operation('predictions', {
    method: 'GET',
    needs: 'read',
    summary: 'List predictions, one per line',
    query: OF_RUN,
    response: PredictionSchema,
    type: 'application/jsonl',
  })
  async predictions(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const [runId, page] = [textIn(query, 'evaluation_run_id'), pageIn(query)];
    const context = await this.authorizer.authorizeRead(read, projectId);
    return listed(this.evaluations.predictions(projectId, runId, page, context), context);
  }

  @Operation('predictions/:prediction_id', {
    method: 'GET',
    needs: 'read',
    summary: 'Read one prediction',
    response: PredictionSchema,
  })
  @ApiParam({ name: 'prediction_id', type: String })
  async prediction(
    @PathProject() projectId: string,
    @Param('prediction_id') id: string,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, projectId);
    return new JsonResponse(await this.evaluations.prediction(projectId, id, context));
  }

  @Operation('scores', {
    method: 'GET',
    needs: 'read',
    summary: 'List scores, one per line',
    query: OF_RUN,
    response: ScoreSchema,
    type: 'application/jsonl',
  })
  async scores(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const [runId, page] = [textIn(query, 'evaluation_run_id'), pageIn(query)];
    const context = await this.authorizer.authorizeRead(read, projectId);
    return listed(this.evaluations.scores(projectId, runId, page, context), context);
  }

  @Operation('scores/:score_id', {
    method: 'GET',
    needs: 'read',
    summary: 'Read one score',
    response: ScoreSchema,
  })
  @ApiParam({ name: 'score_id', type: String })
  async score(
    @PathProject() projectId: string,
    @Param('score_id') id: string,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, projectId);
    return new JsonResponse(await this.evaluations.score(projectId, id, context));
  }
}

const listed = (items: AsyncGenerator<string, void>, context: ReadContext) =>
  streamedLines(explainedLines(jsonLines(items), context));
