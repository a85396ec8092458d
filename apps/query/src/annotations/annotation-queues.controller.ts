import { Body, Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Needs } from '@app/auth';
import {
  AnnotationItemsQueryRequest,
  AnnotationItemsQueryResponse,
  AnnotationQueueResponse,
  AnnotationQueueSchema,
  AnnotationQueuesQueryRequest,
  AnnotationQueuesStatsRequest,
  AnnotationQueuesStatsResponse,
} from '@app/contracts';
import { ApiRefusals, jsonLines, Operation, queryProject } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedLines, explainedObject, jsonList, streamed } from '../response-stream.js';
import { AnnotationQueuesReader } from './annotation-queues.reader.js';

@ApiTags('annotations')
@Controller('annotation_queues')
export class AnnotationQueuesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly queues: AnnotationQueuesReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'List annotation queues, one per line',
    body: AnnotationQueuesQueryRequest,
    response: AnnotationQueueSchema,
    type: 'application/jsonl',
  })
  async query(
    @Body() body: AnnotationQueuesQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return jsonLines(explainedLines(this.queues.query(body, context), context));
  }

  @Get(':queue_id')
  @Needs('read')
  @ApiOperation({ summary: 'Read an annotation queue' })
  @ApiQuery({ name: 'project_id', type: String })
  @ApiOkResponse({ type: AnnotationQueueResponse })
  @ApiRefusals()
  async read(
    @Param('queue_id') id: string,
    @Query('project_id') given: unknown,
    @CurrentRead() read: IncomingRead,
  ): Promise<AnnotationQueueResponse> {
    const projectId = queryProject(given);
    const context = await this.authorizer.authorizeRead(read, projectId);
    return { queue: await this.queues.read(projectId, id, context) };
  }

  @Operation('stats', {
    needs: 'read',
    summary: 'How many items annotation queues have, and how many are finished',
    body: AnnotationQueuesStatsRequest,
    response: AnnotationQueuesStatsResponse,
  })
  async stats(
    @Body() body: AnnotationQueuesStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<AnnotationQueuesStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.queues.stats(body, context);
  }

  @Operation(':queue_id/items/query', {
    needs: 'read',
    summary: 'List the items of an annotation queue',
    body: AnnotationItemsQueryRequest,
    response: AnnotationItemsQueryResponse,
  })
  async items(
    @Param('queue_id') id: string,
    @Body() body: AnnotationItemsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const items = jsonList('items', this.queues.items(id, body, context));
    const response = await streamed(explainedObject(items, context));
    return new StreamableFile(response, { type: 'application/json' });
  }
}
