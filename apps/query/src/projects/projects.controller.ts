import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { requireAccess } from '@app/auth';
import {
  ProjectsQueryRequest,
  ProjectsQueryResponse,
  ProjectStatsRequest,
  ProjectStatsResponse,
} from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { ProjectListReader } from './project-list.reader.js';
import { ProjectsReader } from './projects.reader.js';

@ApiTags('projects')
@Controller()
export class ProjectsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly projects: ProjectsReader,
    private readonly lists: ProjectListReader,
  ) {}

  @Operation('project/stats', {
    needs: 'read',
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

  @Operation('projects/query', {
    needs: 'read',
    isOwnScope: true,
    summary: 'List the projects in the scope of the key, with their last 24 hours',
    body: ProjectsQueryRequest,
    response: ProjectsQueryResponse,
  })
  async query(
    @Body() body: ProjectsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    requireAccess(read.principal, 'read', [read.principal.scope]);
    const context = await this.authorizer.authorizeRead(read);
    return new JsonResponse(await this.lists.list(body, context));
  }
}
