import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ProjectStatsRequest, ProjectStatsResponse } from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { ProjectsReader } from './projects.reader.js';

@ApiTags('projects')
@Controller('project')
export class ProjectsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly projects: ProjectsReader,
  ) {}

  @Operation('stats', {
    summary: 'Storage size of a project',
    body: ProjectStatsRequest,
    response: ProjectStatsResponse,
  })
  async stats(
    @Body() body: ProjectStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<ProjectStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.projects.stats(body, context);
  }
}
