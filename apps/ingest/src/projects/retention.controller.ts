import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { RetentionResponse, RetentionUpdateRequest } from '@app/contracts';
import type { RetentionSet } from '@app/events';
import { Operation } from '@app/http';
import { AuditTrail, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';

/** How long calls are kept. */
@ApiTags('projects')
@Controller('project/ttl_settings')
export class RetentionController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @Operation('update', {
    summary: 'Set how long the calls of a project are kept',
    body: RetentionUpdateRequest,
    response: RetentionResponse,
  })
  async update(
    @Body() { project_id: projectId, retention_days }: RetentionUpdateRequest,
    @Caller() caller: Principal,
  ): Promise<RetentionResponse> {
    requireAccess(caller, 'admin', [projectId]);
    const days = retention_days ?? null;
    const fact: RetentionSet = {
      type: 'RetentionSet',
      projectId,
      userId: caller.user,
      receivedAt: this.clock.now(),
      data: { days },
      body: Buffer.alloc(0),
    };
    await this.audit.record({
      userId: caller.user,
      action: 'retention.set',
      projectId,
      detail: { days },
    });
    await this.records.publish([fact]);
    return { retention_days: days };
  }
}
