import { and, bind, raw, sql, type Sql } from './sql.js';

/** A queue that is not deleted. Times are microseconds. */
export interface QueueRow {
  readonly id: string;
  readonly queue_name: string;
  readonly about: string;
  /** A JSON list. */
  readonly refs: string;
  readonly created_at: number | string;
  readonly created_by: string;
  readonly updated_at: number | string;
}

/** `created` of a row that does not set it. */
const NOT_CREATED = raw('18446744073709551615');

/** The queues of a project, or those with these ids. */
export function annotationQueues(projectId: string, ids?: readonly string[]): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)}`,
    ids && sql`id IN ${bind('Array(String)', ids)}`,
  ]);
  return sql`SELECT id, tupleElement(max(name), 2) AS queue_name, tupleElement(max(description), 2) AS about,
  tupleElement(max(scorer_refs), 2) AS refs, min(created) AS creation,
  toUnixTimestamp64Micro(tupleElement(creation, 2)) AS created_at, tupleElement(creation, 3) AS created_by,
  toUnixTimestamp64Micro(max(updated)) AS updated_at, tupleElement(creation, 1) AS created_seq
FROM annotation_queues WHERE ${where} GROUP BY id
HAVING created_seq < ${NOT_CREATED} AND max(deleted) = toDateTime64(0, 6, 'UTC')`;
}

/** An item of a queue. Times are microseconds; 0 for a call that had not ended. */
export interface ItemRow {
  readonly queue_id: string;
  readonly id: string;
  readonly call: string;
  readonly call_started: number | string;
  readonly call_ended: number | string;
  readonly op_name: string;
  readonly trace_id: string;
  /** A JSON list. */
  readonly fields: string;
  readonly created_at: number | string;
  readonly added_by: string;
  readonly state: string;
  /** Empty for an item that no annotator has claimed. */
  readonly annotator: string;
  readonly progressed: number | string;
  readonly updated_at: number | string;
}

/** The items of these queues, or those with these ids. `added_seq` is the order in which they were added. */
export function annotationItems(
  projectId: string,
  queueIds: readonly string[],
  ids?: readonly string[],
): Sql {
  const where = and([
    sql`project_id = ${bind('String', projectId)} AND queue_id IN ${bind('Array(String)', queueIds)}`,
    ids && sql`id IN ${bind('Array(String)', ids)}`,
  ]);
  return sql`SELECT queue_id, id, max(call_id) AS call, toUnixTimestamp64Micro(max(call_started_at)) AS call_started,
  toUnixTimestamp64Micro(max(call_ended_at)) AS call_ended, max(call_op_name) AS op_name, max(call_trace_id) AS trace_id,
  min(added) AS addition, tupleElement(addition, 1) AS added_seq,
  toUnixTimestamp64Micro(tupleElement(addition, 2)) AS created_at, tupleElement(addition, 3) AS added_by,
  tupleElement(addition, 4) AS fields, max(progress) AS latest,
  if(tupleElement(latest, 4) = '', 'unstarted', tupleElement(latest, 4)) AS state, tupleElement(latest, 3) AS annotator,
  toUnixTimestamp64Micro(tupleElement(latest, 2)) AS progressed, greatest(created_at, progressed) AS updated_at
FROM annotation_items WHERE ${where} GROUP BY queue_id, id HAVING added_seq < ${NOT_CREATED}`;
}
