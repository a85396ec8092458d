import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ProjectStatsRequest, ProjectStatsResponse } from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { QueryExecutor } from '../query-executor.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { RetentionReader } from './retention.reader.js';
import { projectSize, type Stored } from './project-sizes.sql.js';

@ApiTags('projects')
@Controller('project')
export class ProjectsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
  ) {}

  @Operation('stats', {
    summary: 'How much a project holds',
    body: ProjectStatsRequest,
    answer: ProjectStatsResponse,
  })
  async stats(
    @Body() body: ProjectStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<ProjectStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const since = await this.retention.cutoff(body.project_id);
    const size = async (stored: Stored) => {
      if (body[`include_${stored}_storage_size`] === false) return null;
      type Row = { bytes: number | string };
      const asked = projectSize(body.project_id, stored, since);
      const [row] = await this.executor.rows<Row>(asked, context);
      return Number(row?.bytes ?? 0);
    };
    return {
      trace_storage_size_bytes: await size('trace'),
      objects_storage_size_bytes: await size('object'),
      tables_storage_size_bytes: await size('table'),
      files_storage_size_bytes: await size('file'),
    };
  }
}
