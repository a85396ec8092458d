import { bind, sql, type Sql } from '@app/clickhouse';

export type Stored = 'trace' | 'object' | 'table' | 'file';

/** Bytes of everything of a kind that a project has, as they were sent. */
export function projectSize(projectId: string, stored: Stored): Sql {
  const ofProject = sql`project_id = ${bind('String', projectId)}`;
  switch (stored) {
    case 'trace':
      return sql`SELECT sum(size_bytes) AS bytes FROM calls FINAL PREWHERE ${ofProject}`;
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
