import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RetentionReadRequest, RetentionResponse } from '@app/contracts';
import { Operation } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { CurrentRead, type ReadContext } from '../read-context.js';
import { RetentionReader } from './retention.reader.js';

@ApiTags('projects')
@Controller('project/ttl_settings')
export class RetentionController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly retention: RetentionReader,
  ) {}

  @Operation('read', {
    summary: 'How long the calls of a project are kept',
    body: RetentionReadRequest,
    answer: RetentionResponse,
  })
  async read(
    @Body() { project_id }: RetentionReadRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<RetentionResponse> {
    await this.ownWrites.visible(context, project_id);
    return { retention_days: await this.retention.read(project_id) };
  }
}
