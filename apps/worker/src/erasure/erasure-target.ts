import { bind, raw, sql, type Bound, type Sql } from '@app/clickhouse';

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
  /** The project of the receipts; by default the one that is erased. */
  readonly receiptsOf?: string;
}

/** Facts and rows of these calls. Their `delete` facts stay, so that a repeated request cannot restore a call. */
export function deletionsOfCalls(projectId: string, ids: Bound): Deletion[] {
  const project = sql`project_id = ${bind('String', projectId)}`;
  return [
    { table: 'call_events', where: sql`${project} AND call_id IN ${ids} AND kind != 'delete'` },
    { table: 'calls', where: sql`${project} AND id IN ${ids} AND is_deleted = 0` },
    { table: 'root_usage', where: sql`${project} AND id IN ${ids}` },
    { table: 'dead_letters', where: sql`${project} AND call_id IN ${ids}` },
    ...recordsOfCalls(projectId, ids),
    unattributed(sql`call_id IN ${ids} OR hasAny(${STRINGS_OF_ITEM}, ${ids})`),
  ];
}

/** Feedback on these calls, their places in queues, and datasets made from them. */
export function recordsOfCalls(projectId: string, ids: Bound): Deletion[] {
  const project = sql`project_id = ${bind('String', projectId)}`;
  return [
    { table: 'feedback', where: sql`${project} AND call_id IN ${ids}` },
    { table: 'annotation_items', where: sql`${project} AND call_id IN ${ids}` },
    { table: 'dataset_sources', where: sql`${project} AND source_id IN ${ids}` },
    {
      table: 'record_events',
      where: sql`${project} AND type = 'DatasetSourceLinked' AND ${dataField('sourceId')} IN ${ids}`,
    },
    {
      table: 'record_events',
      where: sql`${project} AND ${OF_CALLS} AND ${dataField('callId')} IN ${ids}`,
    },
  ];
}

/** The item of a delete that an erasure writes. The item of other deletes is empty. */
export const ERASED_ITEM = '{"erased":true}';

const FEEDBACK = raw(`type = 'FeedbackGiven'`);
/** In the log, feedback on a call and its place in a queue are facts of their own, from which a rebuild would restore them. */
const OF_CALLS = raw(`type IN ('FeedbackGiven', 'AnnotationItemAdded')`);
const SPAN = raw(`type = 'SpanRecorded'`);
const dataField = (name: 'callId' | 'creator' | 'sourceId' | 'traceId') =>
  raw(`JSONExtractString(data, '${name}')`);

/** What is between the quotes of a dead letter and may be an id. Shorter texts could be of any project. */
const STRINGS_OF_ITEM = raw(String.raw`extractAll(item, '[^"\\\\]{8,128}')`);

/** Dead letters without a project: of a rejected item, the project id was invalid. They are found by what they contain. */
function unattributed(matches: Sql): Deletion {
  return {
    table: 'dead_letters',
    where: sql`project_id = '' AND (${matches})`,
    receiptsOf: '',
  };
}

/** Whether an item names the project: alone, or in a ref. In JSON, a slash may be escaped. */
function namesProject(projectId: string): Sql {
  const [entity = '', project = ''] = projectId.split('/').map(escapedForRegExp);
  const pattern = String.raw`(^|[^\w.-])${entity}\\?/${project}\.?($|[^\w.-])`;
  return sql`match(item, ${bind('String', pattern)})`;
}

const escapedForRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const OF_PROJECT = [
  ...['dead_letters', 'feedback', 'root_usage', 'record_events', 'objects', 'object_tags'],
  ...['object_aliases', 'tables', 'table_positions', 'table_rows', 'files', 'projects'],
  ...['annotation_queues', 'annotation_items', 'dataset_sources', 'agent_spans'],
];

/** Every table from which an erasure deletes rows. */
export const ERASED_TABLES: readonly string[] = [
  ...OF_PROJECT,
  ...['call_events', 'calls', 'prices', 'receipts'],
];

/** All data of the target that does not belong to a call. */
export function otherDeletions(target: ErasureTarget): Deletion[] {
  const id = bind('String', target.projectId);
  const project = sql`project_id = ${id}`;
  switch (target.kind) {
    case 'trace': {
      // A dead letter may have any content, so it belongs to the trace if it contains the trace id.
      const named = sql`position(item, ${bind('String', target.traceId)}) > 0`;
      const trace = bind('String', target.traceId);
      return [
        { table: 'agent_spans', where: sql`${project} AND trace_id = ${trace}` },
        { table: 'dataset_sources', where: sql`${project} AND source_trace_id = ${trace}` },
        {
          table: 'record_events',
          where: sql`${project} AND type = 'DatasetSourceLinked' AND ${dataField('traceId')} = ${trace}`,
        },
        {
          table: 'record_events',
          where: sql`${project} AND ${SPAN} AND ${dataField('traceId')} = ${trace}`,
        },
        { table: 'dead_letters', where: sql`${project} AND ${named}` },
        unattributed(sql`has(${STRINGS_OF_ITEM}, ${bind('String', target.traceId)})`),
      ];
    }
    case 'project':
      return [
        ...OF_PROJECT.map((table) => ({ table, where: project })),
        { table: 'prices', where: sql`level = 'project' AND level_id = ${id}` },
        unattributed(namesProject(target.projectId)),
      ];
    case 'user': {
      const user = bind('String', target.userId);
      return [
        { table: 'dead_letters', where: sql`${project} AND user_id = ${user}` },
        // Whether they were meant for this project is not known, and they are of this user.
        unattributed(sql`user_id = ${user}`),
        { table: 'feedback', where: sql`${project} AND (user_id = ${user} OR creator = ${user})` },
        {
          table: 'record_events',
          where: sql`${project} AND (user_id = ${user} OR (${FEEDBACK} AND ${dataField('creator')} = ${user}))`,
        },
        { table: 'agent_spans', where: sql`${project} AND user_id = ${user}` },
        { table: 'objects', where: sql`${project} AND tupleElement(first, 3) = ${user}` },
        { table: 'dataset_sources', where: sql`${project} AND tupleElement(first, 3) = ${user}` },
        // What other users did to them is projected again from the log.
        {
          table: 'annotation_queues',
          where: sql`${project} AND tupleElement(created, 3) = ${user}`,
        },
        {
          table: 'annotation_items',
          where: sql`${project} AND (tupleElement(added, 3) = ${user} OR tupleElement(progress, 3) = ${user})`,
        },
      ];
    }
  }
}

export const factsOfUser = ({ projectId, userId }: ErasureTarget & { kind: 'user' }): Sql =>
  sql`project_id = ${bind('String', projectId)} AND user_id = ${bind('String', userId)}`;

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
