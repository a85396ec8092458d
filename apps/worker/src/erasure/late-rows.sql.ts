import { and, atMillis, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { Millis } from '@app/wire';
import { SEQ_OF_VERSION } from '../feedback/feedback.projection.js';
import {
  ERASED_ITEM,
  factsOfUser,
  otherDeletions,
  recordsOfCalls,
  type Deletion,
  type ErasureTarget,
} from './erasure-target.js';

/** The flush of a younger fact may not have written its receipt. */
const FLUSHED_SECONDS = 60;
/** A client uploads rows first and then creates the table from them. */
const TABLE_FOLLOWS_SECONDS = 3600;

const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;

const erasedCalls = (projectId: string): Sql => sql`SELECT call_id FROM call_events
  WHERE ${ofProject(projectId)} AND kind = 'delete' AND item = ${bind('String', ERASED_ITEM)}`;

/** Selects erased calls that have facts or rows again. */
export function lateCalls(projectId: string, limit: number): Sql {
  const project = ofProject(projectId);
  const erased = erasedCalls(projectId);
  return sql`SELECT DISTINCT id FROM (
  SELECT call_id AS id FROM call_events WHERE ${project} AND kind != 'delete' AND call_id GLOBAL IN (${erased})
  UNION ALL SELECT id FROM calls WHERE ${project} AND is_deleted = 0 AND id GLOBAL IN (${erased})
  UNION ALL SELECT id FROM root_usage WHERE ${project} AND id GLOBAL IN (${erased})
) WHERE id GLOBAL NOT IN (
  SELECT call_id FROM call_events
  WHERE ${project} AND kind != 'delete' AND stored_at > now() - ${bind('UInt32', FLUSHED_SECONDS)}
) ORDER BY id LIMIT ${bind('UInt64', limit)}`;
}

/** An erasure, and the `seq` of the last record of its project at that time. Every later record has a greater one. */
export interface RecentErasure {
  readonly target: ErasureTarget;
  readonly seq: number;
  readonly at: Millis;
}

const seqOf = (column: string): string => `tupleElement(${column}, 1)`;
/** A column that no fact has set contains 0; then the greatest number. */
const seqIfSet = (column: string): string =>
  `if(${seqOf(column)} = 0, toUInt64(-1), ${seqOf(column)})`;

/** The least `seq` of the facts that a row comes from. After a merge a late row and a new one are one row. */
const SEQ: Readonly<Record<string, string>> = {
  record_events: 'seq',
  objects: `least(${seqOf('first')}, ${seqIfSet('deleted')})`,
  object_tags: seqOf('changed'),
  object_aliases: seqOf('changed'),
  feedback: SEQ_OF_VERSION,
  agent_spans: SEQ_OF_VERSION,
  prices: 'version',
  projects: 'version',
  annotation_queues: `least(${seqOf('created')}, ${seqIfSet('name')}, ${seqIfSet('description')}, ${seqIfSet('scorer_refs')})`,
  annotation_items: `least(${seqOf('added')}, ${seqIfSet('progress')})`,
  dataset_sources: `least(${seqOf('first')}, ${seqIfSet('linked')}, ${seqIfSet('unlinked')})`,
  tables: 'seq',
  table_positions: 'seq',
  table_rows: 'seq',
  files: 'seq',
};

/** Rows from before the column `seq` have 0 there, and are not of a worker of this version. */
function upTo(table: string, seq: number): Sql {
  const column = raw(SEQ[table]!);
  return sql`${column} BETWEEN 1 AND ${bind('UInt64', seq)}`;
}

/** Tables whose rows are found by what refers to them: content that was uploaded again has to stay. */
const CONTENT: ReadonlySet<string> = new Set(['tables', 'table_positions', 'table_rows', 'files']);

/** Records of the target that were received before its erasure. */
export function lateRecords({ target, seq }: RecentErasure): Deletion[] {
  return otherDeletions(target)
    .filter(({ table }) => table in SEQ && !CONTENT.has(table))
    .map(({ table, where }) => ({ table, where: sql`(${where}) AND ${upTo(table, seq)}` }));
}

/** Records of these calls that were received before the erasure. */
export function lateRecordsOfCalls(
  { target, seq }: RecentErasure,
  ids: readonly string[],
): Deletion[] {
  return recordsOfCalls(target.projectId, bind('Array(String)', ids)).map(({ table, where }) => ({
    table,
    where: sql`(${where}) AND ${upTo(table, seq)}`,
  }));
}

/** Selects erased calls that have records from before the erasure. */
export function callsWithLateRecords({ target, seq }: RecentErasure, limit: number): Sql {
  const { projectId } = target;
  const rows = (table: string, id: string, isOfCall: Sql = sql`true`) =>
    sql`SELECT ${raw(id)} AS id FROM ${raw(table)} WHERE ${and([ofProject(projectId), isOfCall, upTo(table, seq)])}`;
  const isLogged = sql`type IN ('FeedbackGiven', 'AnnotationItemAdded', 'DatasetSourceLinked')`;
  const logged = `JSONExtractString(data, if(type = 'DatasetSourceLinked', 'sourceId', 'callId'))`;
  return sql`SELECT DISTINCT id FROM (
  ${rows('feedback', 'call_id')}
  UNION ALL ${rows('annotation_items', 'call_id')}
  UNION ALL ${rows('dataset_sources', 'source_id')}
  UNION ALL ${rows('record_events', logged, isLogged)}
) WHERE id GLOBAL IN (${erasedCalls(projectId)}) LIMIT ${bind('UInt64', limit)}`;
}

/** Rows of one table, by an expression of type String that a query selects as `id`. */
export interface LateRows {
  readonly table: string;
  readonly column: string;
  readonly ids: Sql;
}

/**
 * Rows from before the erasure that no fact in the log explains any more: content, and names of versions. A trace has none of
 * these.
 */
export function rowsWithoutFact({ target, seq }: RecentErasure, limit: number): LateRows[] {
  if (target.kind === 'trace') return [];
  const project = ofProject(target.projectId);
  const rows = (table: string, column: string, known: Sql, isOld = sql`true`): LateRows => ({
    ...{ table, column },
    ids: sql`SELECT DISTINCT ${raw(column)} AS id FROM ${raw(table)} WHERE ${and([project, upTo(table, seq), isOld])}
AND id GLOBAL NOT IN (${known}) LIMIT ${bind('UInt64', limit)}`,
  });
  const logged = (type: string, column: string) =>
    sql`SELECT ${raw(column)} FROM record_events WHERE ${project} AND type = ${bind('String', type)}`;
  const digests = (type: string) => logged(type, `JSONExtractString(data, 'digest')`);
  const changed = `toString(${seqOf('changed')})`;
  const inTables = sql`SELECT row_digest FROM table_positions WHERE ${project}`;
  const isOld = sql`seq < toUnixTimestamp64Micro(now64(6)) - ${bind('UInt64', TABLE_FOLLOWS_SECONDS * 1_000_000)}`;
  return [
    rows('object_tags', changed, logged('TagChanged', 'toString(seq)')),
    rows('object_aliases', changed, logged('AliasChanged', 'toString(seq)')),
    rows('files', 'digest', digests('FileStored')),
    rows('tables', 'digest', digests('TableCreated')),
    rows('table_positions', 'digest', digests('TableCreated')),
    rows('table_rows', 'digest', inTables, isOld),
  ];
}

/** The condition for facts of an erased user about calls of other users. */
export function lateFactsOfUser({ target, at }: RecentErasure): Sql | undefined {
  if (target.kind !== 'user') return undefined;
  return sql`${factsOfUser(target)} AND received_at < ${atMillis(at)}`;
}

/** Selects dead letters that an erasure or retention has removed before. */
export function lateDeadLetters(projectId: string, limit: number): Sql {
  const project = ofProject(projectId);
  return sql`SELECT DISTINCT id FROM dead_letters WHERE ${project}
AND toFixedString(unhex(id), 16) GLOBAL IN (SELECT fact FROM removed_facts WHERE ${project}) LIMIT ${bind('UInt64', limit)}`;
}
