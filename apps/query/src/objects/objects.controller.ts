import { Body, Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Needs } from '@app/auth';
import {
  AliasesListResponse,
  ObjectReadRequest,
  ObjectReadResponse,
  ObjectsQueryRequest,
  ObjectsQueryResponse,
  TagsListResponse,
} from '@app/contracts';
import { ApiRefusals, JsonResponse, Operation, queryProject } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedObject, jsonList, streamed } from '../response-stream.js';
import { ObjectsReader } from './objects.reader.js';

@ApiTags('objects')
@Controller()
export class ObjectsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly objects: ObjectsReader,
  ) {}

  @Operation('objs/query', {
    needs: 'read',
    summary: 'List object versions',
    body: ObjectsQueryRequest,
    response: ObjectsQueryResponse,
  })
  async query(
    @Body() body: ObjectsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const objs = jsonList('objs', this.objects.query(body, context));
    const response = await streamed(explainedObject(objs, context));
    return new StreamableFile(response, { type: 'application/json' });
  }

  @Operation('obj/read', {
    needs: 'read',
    summary: 'Read one object version',
    body: ObjectReadRequest,
    response: ObjectReadResponse,
  })
  async read(
    @Body() body: ObjectReadRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(`{"obj":${await this.objects.read(body, context)}}`);
  }

  @Get('tags')
  @Needs('read')
  @ApiOperation({ summary: 'Tags in use' })
  @ApiQuery({ name: 'project_id', type: String })
  @ApiOkResponse({ type: TagsListResponse })
  @ApiRefusals()
  async tags(
    @Query('project_id') projectId: unknown,
    @CurrentRead() read: IncomingRead,
  ): Promise<TagsListResponse> {
    return { tags: await this.names(read, projectId, 'tags') };
  }

  @Get('aliases')
  @Needs('read')
  @ApiOperation({ summary: 'Aliases in use' })
  @ApiQuery({ name: 'project_id', type: String })
  @ApiOkResponse({ type: AliasesListResponse })
  @ApiRefusals()
  async aliases(
    @Query('project_id') projectId: unknown,
    @CurrentRead() read: IncomingRead,
  ): Promise<AliasesListResponse> {
    return { aliases: await this.names(read, projectId, 'aliases') };
  }

  private async names(
    read: IncomingRead,
    given: unknown,
    what: 'tags' | 'aliases',
  ): Promise<string[]> {
    const projectId = queryProject(given);
    const context = await this.authorizer.authorizeRead(read, projectId);
    return this.objects.names(projectId, what, context);
  }
}
