import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { ProjectInfo, ProjectsInfoRequest } from '@app/contracts';
import { internalProjectId } from '@app/digests';
import { Operation } from '@app/http';

/** Clients need these ids to compute digests. */
@ApiTags('objects')
@Controller('service')
export class ProjectsController {
  @Operation('projects_info', {
    needs: 'enter',
    summary: 'The ids that projects have inside digests',
    body: ProjectsInfoRequest,
    response: ProjectInfo,
  })
  info(@Body() { project_ids }: ProjectsInfoRequest, @Caller() caller: Principal): ProjectInfo[] {
    requireAccess(caller, 'enter', project_ids);
    return project_ids.map((id) => ({
      external_project_id: id,
      internal_project_id: internalProjectId(id),
    }));
  }
}
