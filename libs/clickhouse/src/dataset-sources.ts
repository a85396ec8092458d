import { and, bind, raw, sql, type Sql } from './sql.js';

/** A link between a row of a dataset and a source. Times are microseconds. */
export interface SourceLinkRow {
  readonly dataset_id: string;
  readonly id: string;
  readonly row: string;
  readonly kind: string;
  readonly source: string;
  readonly trace: string;
  readonly started: number | string;
  readonly display_name: string;
  /** JSON, or empty. */
  readonly metadata: string;
  readonly added_by: string;
  readonly created_at: number | string;
  readonly updated_at: number | string;
  /** When it was removed last; 0 for never. */
  readonly removed_at: number | string;
  readonly is_live: number;
}

/** `first` of a row that does not set it. */
const NOT_LINKED = raw('18446744073709551615');

/** The links of a project that fulfil a condition on `dataset_id` and `id`, removed ones included. */
export function sourceLinks(projectId: string, condition: Sql): Sql {
  return sql`SELECT dataset_id, id, max(row_digest) AS row, max(source_kind) AS kind, max(source_id) AS source,
  max(source_trace_id) AS trace, toUnixTimestamp64Micro(max(source_started_at)) AS started, max(source_name) AS display_name,
  min(first) AS creation, tupleElement(creation, 1) AS first_seq,
  toUnixTimestamp64Micro(tupleElement(creation, 2)) AS created_at, tupleElement(creation, 3) AS added_by,
  max(linked) AS addition, tupleElement(addition, 3) AS metadata, max(unlinked) AS removal,
  tupleElement(addition, 1) > tupleElement(removal, 1) AS is_live,
  toUnixTimestamp64Micro(tupleElement(removal, 2)) AS removed_at,
  greatest(toUnixTimestamp64Micro(tupleElement(addition, 2)), removed_at) AS updated_at
FROM dataset_sources WHERE ${and([sql`project_id = ${bind('String', projectId)}`, condition])}
GROUP BY dataset_id, id HAVING first_seq < ${NOT_LINKED}`;
}
