import { Body, Controller, Delete, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, Needs, requireRefAccess, type Principal } from '@app/auth';
import {
  AnnotationQueueCreateRequest,
  AnnotationQueueCreateResponse,
  AnnotationQueueResponse,
  AnnotationQueueUpdateRequest,
  queueRecord,
} from '@app/contracts';
import { ApiRefusals, Operation, queryProject } from '@app/http';
import { AuditTrail, RecordPublisher } from '@app/queue';
import { millisOf } from '@app/wire';
import { Clock } from '../clock.js';
import { uuidv7 } from '../ids.js';
import { authorizedContext } from '../record-facts.js';
import { changedFact, changedQueue, createdFact, deletedFact } from './queue-facts.js';
import { QueuesReader } from './queues.reader.js';

/** Queues of calls for annotators. */
@ApiTags('annotations')
@Controller('annotation_queues')
export class QueuesController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly queues: QueuesReader,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('', {
    needs: 'write',
    summary: 'Create an annotation queue',
    body: AnnotationQueueCreateRequest,
    response: AnnotationQueueCreateResponse,
  })
  async create(
    @Body() body: AnnotationQueueCreateRequest,
    @Caller() caller: Principal,
  ): Promise<AnnotationQueueCreateResponse> {
    const context = authorizedContext(caller, 'write', body.project_id, this.clock);
    requireRefAccess(caller, 'enter', body.scorer_refs);
    const id = uuidv7(millisOf(context.receivedAt));
    await this.records.publish([createdFact(id, body, context)]);
    return { id };
  }

  @Operation(':queue_id', {
    method: 'PUT',
    needs: 'change',
    summary: 'Change an annotation queue',
    body: AnnotationQueueUpdateRequest,
    response: AnnotationQueueResponse,
  })
  async update(
    @Param('queue_id') id: string,
    @Body() body: AnnotationQueueUpdateRequest,
    @Caller() caller: Principal,
  ): Promise<AnnotationQueueResponse> {
    const projectId = body.project_id;
    const context = authorizedContext(caller, 'change', projectId, this.clock);
    requireRefAccess(caller, 'enter', body.scorer_refs ?? []);
    const queue = await this.queues.queue(projectId, id);
    const fact = changedFact(id, body, context);
    if (fact === undefined) return { queue: queueRecord(projectId, queue) };
    await this.records.publish([fact]);
    return { queue: queueRecord(projectId, changedQueue(queue, fact)) };
  }

  @Delete(':queue_id')
  @Needs('delete')
  @ApiOperation({ summary: 'Delete an annotation queue and its items' })
  @ApiQuery({ name: 'project_id', type: String })
  @ApiOkResponse({ type: AnnotationQueueResponse })
  @ApiRefusals()
  async delete(
    @Param('queue_id') id: string,
    @Query('project_id') given: unknown,
    @Caller() caller: Principal,
  ): Promise<AnnotationQueueResponse> {
    const projectId = queryProject(given);
    const context = authorizedContext(caller, 'delete', projectId, this.clock);
    const queue = await this.queues.queue(projectId, id);
    const entry = { action: 'annotation_queues.delete', projectId, detail: { queue_id: id } };
    await this.audit.record({ ...actorOf(caller), ...entry });
    await this.records.publish([deletedFact(id, context)]);
    const deleted = { ...queue, updated_at: context.receivedAt };
    return { queue: queueRecord(projectId, deleted, context.receivedAt) };
  }
}
