import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { EvaluationDeleteResponse } from '@app/contracts';
import {
  ApiProjectPath,
  InvalidBodyError,
  Operation,
  PathProject,
  PROJECT_PATH,
  textsIn,
  type OperationDoc,
  type QueryString,
} from '@app/http';
import { CallDeletion } from '../calls/call-deletion.js';

const IDS_MAX = 1000;

const deleting = (summary: string, ids: string): OperationDoc => ({
  method: 'DELETE',
  needs: 'delete',
  summary,
  response: EvaluationDeleteResponse,
  query: {
    [ids]: { type: 'string', isArray: true, description: `At least 1, at most ${IDS_MAX}.` },
  },
});

/** Deletes calls of evaluations with all their descendants. */
@ApiTags('evaluations')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class EvaluationDeletionController {
  constructor(private readonly deletion: CallDeletion) {}

  @Operation('evaluation_runs', deleting('Delete runs with all their calls', 'evaluation_run_ids'))
  deleteRuns(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<EvaluationDeleteResponse> {
    return this.delete(caller, projectId, query, 'evaluation_run_ids');
  }

  @Operation('predictions', deleting('Delete predictions', 'prediction_ids'))
  deletePredictions(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<EvaluationDeleteResponse> {
    return this.delete(caller, projectId, query, 'prediction_ids');
  }

  @Operation('scores', deleting('Delete scores', 'score_ids'))
  deleteScores(
    @PathProject() projectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<EvaluationDeleteResponse> {
    return this.delete(caller, projectId, query, 'score_ids');
  }

  private async delete(
    caller: Principal,
    project_id: string,
    query: QueryString,
    parameter: string,
  ): Promise<EvaluationDeleteResponse> {
    requireAccess(caller, 'delete', [project_id]);
    const call_ids = textsIn(query, parameter, IDS_MAX);
    if (call_ids === undefined) {
      const loc = ['query', parameter];
      throw new InvalidBodyError([{ loc, msg: 'Field required', type: 'missing' }]);
    }
    const deleted = await this.deletion.delete(caller, { project_id, call_ids });
    return { num_deleted: [...new Set(call_ids)].filter((id) => deleted.has(id)).length };
  }
}
