import { bind, sql, type Bound, type Sql } from '@app/clickhouse';

/** The data to erase, in one project. */
export type ErasureTarget =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'trace'; readonly projectId: string; readonly traceId: string }
  | { readonly kind: 'user'; readonly projectId: string; readonly userId: string };

/** Selects the ids of all calls that belong to the target, with or without a row. */
export function callsOf(target: ErasureTarget): Sql {
  const project = sql`project_id = ${bind('String', target.projectId)}`;
  switch (target.kind) {
    case 'project':
      return sql`SELECT DISTINCT call_id AS id FROM call_events WHERE ${project} ORDER BY id`;
    case 'trace': {
      const trace = bind('String', target.traceId);
      return sql`SELECT id FROM (
  SELECT id FROM calls WHERE ${project} AND trace_id = ${trace}
  UNION ALL SELECT call_id AS id FROM call_events WHERE ${project} AND JSONExtractString(item, 'trace_id') = ${trace}
) GROUP BY id ORDER BY id`;
    }
    case 'user':
      return sql`SELECT DISTINCT call_id AS id FROM call_events
WHERE ${project} AND user_id = ${bind('String', target.userId)} AND kind IN ('start', 'complete') ORDER BY id`;
  }
}

/** A condition for the rows of a table that will be deleted. */
export interface Deletion {
  readonly table: string;
  readonly where: Sql;
}

/** Facts and rows of these calls. Their `delete` facts stay, so that a repeated request cannot restore a call. */
export function deletionsOfCalls(projectId: string, ids: Bound): Deletion[] {
  const project = sql`project_id = ${bind('String', projectId)}`;
  return [
    { table: 'call_events', where: sql`${project} AND call_id IN ${ids} AND kind != 'delete'` },
    { table: 'calls', where: sql`${project} AND id IN ${ids} AND is_deleted = 0` },
    { table: 'root_usage', where: sql`${project} AND id IN ${ids}` },
    { table: 'dead_letters', where: sql`${project} AND call_id IN ${ids}` },
    { table: 'feedback', where: sql`${project} AND call_id IN ${ids}` },
  ];
}

const OF_PROJECT = [
  ...['dead_letters', 'feedback', 'root_usage', 'record_events', 'objects', 'object_tags'],
  ...['object_aliases', 'tables', 'table_positions', 'table_rows', 'files', 'projects'],
];

/** All data of the target that does not belong to a call. */
export function otherDeletions(target: ErasureTarget): Deletion[] {
  const id = bind('String', target.projectId);
  const project = sql`project_id = ${id}`;
  switch (target.kind) {
    case 'trace': {
      // A dead letter may have any content, so it belongs to the trace if it contains the trace id.
      const named = sql`position(item, ${bind('String', target.traceId)}) > 0`;
      return [{ table: 'dead_letters', where: sql`${project} AND ${named}` }];
    }
    case 'project':
      return [
        ...OF_PROJECT.map((table) => ({ table, where: project })),
        { table: 'prices', where: sql`level = 'project' AND level_id = ${id}` },
      ];
    case 'user': {
      const user = bind('String', target.userId);
      return [
        { table: 'dead_letters', where: sql`${project} AND user_id = ${user}` },
        { table: 'feedback', where: sql`${project} AND (user_id = ${user} OR creator = ${user})` },
        { table: 'record_events', where: sql`${project} AND user_id = ${user}` },
        { table: 'objects', where: sql`${project} AND tupleElement(first, 3) = ${user}` },
      ];
    }
  }
}

/** Digests of files, or of tables, that only this user has uploaded. */
export function ownContent(
  { projectId, userId }: { projectId: string; userId: string },
  type: 'FileStored' | 'TableCreated',
): Sql {
  return sql`SELECT JSONExtractString(data, 'digest') AS digest FROM record_events
WHERE project_id = ${bind('String', projectId)} AND type = ${bind('String', type)}
GROUP BY digest HAVING uniqExact(user_id) = 1 AND any(user_id) = ${bind('String', userId)}`;
}

/** Rows of these tables that are in no other table. */
export function ownRows(projectId: string, tables: Bound): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  return sql`SELECT DISTINCT row_digest AS id FROM table_positions WHERE ${project} AND digest IN ${tables}
AND row_digest NOT IN (SELECT row_digest FROM table_positions WHERE ${project} AND digest NOT IN ${tables})`;
}
