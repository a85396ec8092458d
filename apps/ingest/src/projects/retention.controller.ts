import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
import { RetentionResponse, RetentionUpdateRequest } from '@app/contracts';
import type { RetentionSet } from '@app/events';
import { Operation } from '@app/http';
import { AuditTrail, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { authorizedContext, NO_BODY } from '../record-facts.js';

/** How long calls are stored. */
@ApiTags('projects')
@Controller('project/ttl_settings')
export class RetentionController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @Operation('update', {
    needs: 'admin',
    summary: 'Set how long the calls of a project are stored',
    body: RetentionUpdateRequest,
    response: RetentionResponse,
  })
  async update(
    @Body() { project_id: projectId, ...request }: RetentionUpdateRequest,
    @Caller() caller: Principal,
  ): Promise<RetentionResponse> {
    const context = authorizedContext(caller, 'admin', projectId, this.clock);
    const days = request.retention_days ?? null;
    const feedbackDays = request.feedback_retention_days ?? null;
    const fact: RetentionSet = {
      type: 'RetentionSet',
      ...context,
      data: { days, feedbackDays },
      body: NO_BODY,
    };
    const entry = {
      action: 'retention.set',
      projectId,
      detail: { days, ...(feedbackDays !== null && { feedback_days: feedbackDays }) },
    };
    await this.audit.record({ ...actorOf(caller), ...entry });
    await this.records.publish([fact]);
    return {
      retention_days: days,
      ...(feedbackDays !== null && { feedback_retention_days: feedbackDays }),
    };
  }
}
