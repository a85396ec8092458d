import { Injectable } from '@nestjs/common';
import { and, bind, sql, type Sql } from '@app/clickhouse';
import type { ProjectStatsRequest, ProjectStatsResponse } from '@app/contracts';
import type { Micros } from '@app/wire';
import { startedSince } from '../calls/calls-where.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { RetentionReader } from './retention.reader.js';

@Injectable()
export class ProjectsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
  ) {}

  async stats(request: ProjectStatsRequest, context: ReadContext): Promise<ProjectStatsResponse> {
    const { project_id } = request;
    const since = await this.retention.cutoff(project_id);
    const size = async (stored: Stored) => {
      if (request[`include_${stored}_storage_size`] === false) return null;
      const query = projectSize(project_id, stored, since);
      const [row] = await this.executor.rows<{ bytes: number | string }>(query, context);
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

type Stored = 'trace' | 'object' | 'table' | 'file';

/** The bytes of one kind of data, as the clients sent them. Calls before `since` are past their retention. */
function projectSize(projectId: string, stored: Stored, since: Micros | undefined): Sql {
  const ofProject = sql`project_id = ${bind('String', projectId)}`;
  switch (stored) {
    case 'trace':
      return sql`SELECT sum(size_bytes) AS bytes FROM calls FINAL PREWHERE ${and([ofProject, ...startedSince(since)])}`;
    case 'object':
      return sql`SELECT sum(size) AS bytes FROM (
  SELECT max(size_bytes) AS size FROM objects WHERE ${ofProject} GROUP BY object_id, kind, digest
  HAVING max(published) > max(objects.deleted).1)`;
    case 'table':
      return sql`SELECT sum(size_bytes) AS bytes FROM table_rows FINAL WHERE ${ofProject}`;
    case 'file':
      return sql`SELECT sum(size_bytes) AS bytes FROM files FINAL WHERE ${ofProject}`;
  }
}
