import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RetentionReadRequest, RetentionResponse } from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { RetentionReader } from './retention.reader.js';

@ApiTags('projects')
@Controller('project/ttl_settings')
export class RetentionController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly retention: RetentionReader,
  ) {}

  @Operation('read', {
    needs: 'read',
    summary: 'How long the calls of a project are retained',
    body: RetentionReadRequest,
    response: RetentionResponse,
  })
  async read(
    @Body() { project_id }: RetentionReadRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<RetentionResponse> {
    await this.authorizer.authorizeRead(read, project_id);
    const { days, feedbackDays } = await this.retention.read(project_id);
    return {
      retention_days: days,
      ...(feedbackDays !== null && { feedback_retention_days: feedbackDays }),
    };
  }
}
