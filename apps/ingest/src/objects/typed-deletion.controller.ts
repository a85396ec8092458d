import { Controller, Param, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import { VersionsDeleteResponse } from '@app/contracts';
import {
  ApiProjectPath,
  Operation,
  PathProject,
  PROJECT_PATH,
  textsIn,
  type OperationDoc,
  type QueryString,
} from '@app/http';
import { DELETE_MAX, ObjectDeletion } from './object-deletion.js';
import type { Version } from './versions.reader.js';

const deleting = (what: string): OperationDoc => ({
  method: 'DELETE',
  needs: 'delete',
  summary: `Delete versions of ${what}`,
  response: VersionsDeleteResponse,
  query: {
    digests: {
      type: 'string',
      isArray: true,
      description: `Digests, \`latest\` or \`v<N>\`, at most ${DELETE_MAX}; all versions when absent.`,
    },
  },
});

/** The versions of a class under a name. Versions of another class under that name are left as they are. */
@ApiTags('objects')
@ApiProjectPath()
@ApiParam({ name: 'object_id', type: String })
@Controller(PROJECT_PATH)
export class TypedDeletionController {
  constructor(private readonly deletion: ObjectDeletion) {}

  @Operation('ops/:object_id', deleting('an op'))
  deleteOp(
    @PathProject() projectId: string,
    @Param('object_id') objectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<VersionsDeleteResponse> {
    return this.delete(caller, projectId, objectId, query, ({ kind }) => kind === 'op');
  }

  @Operation('datasets/:object_id', deleting('a dataset'))
  deleteDataset(
    @PathProject() projectId: string,
    @Param('object_id') objectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<VersionsDeleteResponse> {
    return this.delete(caller, projectId, objectId, query, isOfClass('Dataset'));
  }

  @Operation('scorers/:object_id', deleting('a scorer'))
  deleteScorer(
    @PathProject() projectId: string,
    @Param('object_id') objectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<VersionsDeleteResponse> {
    return this.delete(caller, projectId, objectId, query, isOfClass('Scorer'));
  }

  @Operation('evaluations/:object_id', deleting('an evaluation'))
  deleteEvaluation(
    @PathProject() projectId: string,
    @Param('object_id') objectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<VersionsDeleteResponse> {
    return this.delete(caller, projectId, objectId, query, isOfClass('Evaluation'));
  }

  @Operation('models/:object_id', deleting('a model'))
  deleteModel(
    @PathProject() projectId: string,
    @Param('object_id') objectId: string,
    @Query() query: QueryString,
    @Caller() caller: Principal,
  ): Promise<VersionsDeleteResponse> {
    return this.delete(caller, projectId, objectId, query, isOfClass('Model'));
  }

  private async delete(
    caller: Principal,
    projectId: string,
    objectId: string,
    query: QueryString,
    accepts: (version: Version) => boolean,
  ): Promise<VersionsDeleteResponse> {
    const digests = textsIn(query, 'digests', DELETE_MAX);
    const deleted = await this.deletion.delete(caller, { projectId, objectId, digests, accepts });
    return { num_deleted: deleted.length };
  }
}

const isOfClass =
  (name: string) =>
  ({ kind, baseClass }: Version): boolean =>
    kind === 'object' && baseClass === name;
