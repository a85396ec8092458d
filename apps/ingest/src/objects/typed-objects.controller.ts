import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireRefAccess, type Principal } from '@app/auth';
import {
  DatasetCreateRecord,
  EvaluationCreateRecord,
  EvaluationCreateResponse,
  ModelCreateRecord,
  ModelCreateResponse,
  OpCreateRecord,
  ScorerCreateRecord,
  ScorerCreateResponse,
  VersionCreateResponse,
} from '@app/contracts';
import { ApiProjectPath, Operation, PathProject, PROJECT_PATH } from '@app/http';
import { Clock } from '../clock.js';
import { recordOf } from '../record-body.js';
import { authorizedContext, type RecordContext } from '../record-facts.js';
import { readDatasetOf } from './read-dataset.js';
import { TypedObjects, type PublishedVersion } from './typed-objects.js';
import { objectIdOf, placeholderCode } from './typed-values.js';

/** Objects of the classes that the SDKs know, with a route for each class. They are the objects of `obj/create`. */
@ApiTags('objects')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class TypedObjectsController {
  constructor(
    private readonly objects: TypedObjects,
    private readonly clock: Clock,
  ) {}

  @Operation('ops', {
    needs: 'write',
    summary: 'Publish an op with its code',
    body: OpCreateRecord,
    response: VersionCreateResponse,
  })
  async createOp(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
  ): Promise<VersionCreateResponse> {
    const { name, source_code } = recordOf(OpCreateRecord, body);
    const objectId = objectIdOf(name, 'Op');
    const code = source_code || placeholderCode();
    return version(await this.objects.op(objectId, code, this.context(caller, projectId)));
  }

  @Operation('datasets', {
    needs: 'write',
    summary: 'Publish a dataset with its rows',
    body: DatasetCreateRecord,
    response: VersionCreateResponse,
  })
  async createDataset(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
  ): Promise<VersionCreateResponse> {
    const context = this.context(caller, projectId);
    return version(await this.objects.dataset(await readDatasetOf(body, context), context));
  }

  @Operation('scorers', {
    needs: 'write',
    summary: 'Publish a scorer with the code of its op',
    body: ScorerCreateRecord,
    response: ScorerCreateResponse,
  })
  async createScorer(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
  ): Promise<ScorerCreateResponse> {
    const record = recordOf(ScorerCreateRecord, body);
    const scorer = await this.objects.scorer(record, this.context(caller, projectId));
    return { ...version(scorer), scorer: scorer.ref };
  }

  @Operation('evaluations', {
    needs: 'write',
    summary: 'Publish an evaluation of a dataset by scorers',
    body: EvaluationCreateRecord,
    response: EvaluationCreateResponse,
  })
  async createEvaluation(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
  ): Promise<EvaluationCreateResponse> {
    const record = recordOf(EvaluationCreateRecord, body, ['eval_attributes']);
    const context = this.context(caller, projectId);
    requireRefAccess(caller, 'enter', [record.dataset, ...(record.scorers ?? [])]);
    const evaluation = await this.objects.evaluation(record, context);
    return { ...version(evaluation), evaluation_ref: evaluation.ref };
  }

  @Operation('models', {
    needs: 'write',
    summary: 'Publish a model with the code of its class',
    body: ModelCreateRecord,
    response: ModelCreateResponse,
  })
  async createModel(
    @Body() body: Buffer,
    @PathProject() projectId: string,
    @Caller() caller: Principal,
  ): Promise<ModelCreateResponse> {
    const record = recordOf(ModelCreateRecord, body, ['attributes']);
    const model = await this.objects.model(record, this.context(caller, projectId));
    return { ...version(model), model_ref: model.ref };
  }

  private context(caller: Principal, projectId: string): RecordContext {
    return authorizedContext(caller, 'write', projectId, this.clock);
  }
}

const version = ({ digest, object_id, version_index }: PublishedVersion) => ({
  digest,
  object_id,
  version_index,
});
