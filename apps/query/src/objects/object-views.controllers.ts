import { Controller, Param, Query, type StreamableFile, type Type } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiProjectPath,
  countIn,
  JsonResponse,
  jsonLines as streamedLines,
  Operation,
  PathProject,
  PROJECT_PATH,
  type QueryParameter,
  type QueryString,
} from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedLines, jsonLines } from '../response-stream.js';
import { ObjectViewsReader } from './object-views.reader.js';
import {
  DATASET_VIEW,
  EVALUATION_VIEW,
  MODEL_VIEW,
  OP_VIEW,
  SCORER_VIEW,
  type ObjectView,
} from './object-views.js';

const PAGE: Readonly<Record<string, QueryParameter>> = {
  limit: { type: 'integer', description: 'Maximum number of versions.' },
  offset: { type: 'integer', description: 'Number of versions to skip.' },
};

/** A controller with the two reads of a view. */
function viewController(view: ObjectView): Type {
  @ApiTags('objects')
  @ApiProjectPath()
  @Controller(PROJECT_PATH)
  class ViewController {
    constructor(
      private readonly authorizer: ReadAuthorizer,
      private readonly views: ObjectViewsReader,
    ) {}

    @Operation(view.path, {
      method: 'GET',
      needs: 'read',
      summary: `List versions of ${view.path}, one per line${view.filter.latest_only ? ', the latest of each' : ''}`,
      query: PAGE,
      response: view.response,
      type: 'application/jsonl',
    })
    async list(
      @PathProject() projectId: string,
      @Query() query: QueryString,
      @CurrentRead() read: IncomingRead,
    ): Promise<StreamableFile> {
      const page = {
        limit: countIn(query, 'limit') ?? null,
        offset: countIn(query, 'offset') ?? null,
      };
      const context = await this.authorizer.authorizeRead(read, projectId);
      const lines = jsonLines(this.views.list(view, projectId, page, context));
      return streamedLines(explainedLines(lines, context));
    }

    @Operation(`${view.path}/:object_id/versions/:digest`, {
      method: 'GET',
      needs: 'read',
      summary: `Read one version of ${view.what}`,
      response: view.response,
    })
    @ApiParam({ name: 'object_id', type: String })
    @ApiParam({
      name: 'digest',
      type: String,
      description: 'A digest, `latest`, `v<N>` or an alias.',
    })
    async read(
      @PathProject() projectId: string,
      @Param('object_id') objectId: string,
      @Param('digest') digest: string,
      @CurrentRead() read: IncomingRead,
    ): Promise<JsonResponse> {
      const context = await this.authorizer.authorizeRead(read, projectId);
      return new JsonResponse(
        await this.views.read(view, { projectId, objectId, digest }, context),
      );
    }
  }
  // The name is part of the ids of the operations in the OpenAPI document, which must differ.
  Object.defineProperty(ViewController, 'name', { value: `${view.path}ViewController` });
  return ViewController;
}

export const VIEW_CONTROLLERS: Type[] = [
  OP_VIEW,
  DATASET_VIEW,
  SCORER_VIEW,
  EVALUATION_VIEW,
  MODEL_VIEW,
].map(viewController);
