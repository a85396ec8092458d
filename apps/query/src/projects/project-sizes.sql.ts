import { and, bind, sql, type Sql } from '@app/clickhouse';
import { startedSince } from '../calls/calls-where.js';

export type Stored = 'trace' | 'object' | 'table' | 'file';

/** Bytes of everything of a kind that a project has, as they were sent. Calls from before `since` (µs) are gone. */
export function projectSize(projectId: string, stored: Stored, since: number | undefined): Sql {
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
