import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsFilter } from '@app/contracts';

/** What a call is answered from. */
export interface CallRecordRow {
  readonly id: string;
  readonly project_id: string;
  readonly trace_id: string;
  readonly parent_id: string;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly op_name: string;
  readonly display_name: string;
  readonly started: number | string;
  readonly ended: number | string;
  readonly status: string;
  readonly exception: string;
  readonly user_id: string;
  readonly run_id: string;
  readonly run_step: number | string;
  readonly run_step_end: number | string;
  readonly attributes: string;
  readonly inputs: string;
  readonly output: string;
  readonly summary: string;
  readonly otel_dump: string;
  readonly size_bytes: number | string;
}

/**
 * One call. Its key is found through the bloom filter on narrow columns first; FINAL and the payloads are read for that
 * key only. A call whose start was sent again with another time has rows at several keys, of which one is alive.
 */
export function readCall(projectId: string, id: string): Sql {
  const project = bind('String', projectId);
  return sql`SELECT id, project_id, trace_id, parent_id, thread_id, turn_id, op_name, display_name,
  toUnixTimestamp64Micro(started_at) AS started, toUnixTimestamp64Micro(ended_at) AS ended,
  status, exception, user_id, run_id, run_step, run_step_end,
  attributes, inputs, output, summary, otel_dump, size_bytes
FROM calls FINAL
WHERE project_id = ${project}
  AND (started_at, id) IN (SELECT started_at, id FROM calls WHERE project_id = ${project} AND id = ${bind('String', id)})
LIMIT 1 BY id`;
}

/** Bytes of all calls of a trace. */
export function traceSize(projectId: string, traceId: string): Sql {
  return sql`SELECT sum(size_bytes) AS bytes FROM calls FINAL
WHERE ${callsWhere(projectId, { trace_ids: [traceId] })}`;
}

/** How many calls match, and how large they are. With a limit, counting stops there. */
export function countCalls(projectId: string, filter: CallsFilter, limit?: number): Sql {
  const where = callsWhere(projectId, filter);
  if (limit === undefined) {
    return sql`SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL WHERE ${where}`;
  }
  return sql`SELECT count() AS count, sum(size_bytes) AS bytes
FROM (SELECT size_bytes FROM calls FINAL WHERE ${where} LIMIT ${bind('UInt64', limit)})`;
}

export function callsWhere(projectId: string, filter: CallsFilter): Sql {
  return and([
    sql`project_id = ${bind('String', projectId)}`,
    opCondition(filter.op_names),
    refCondition('input_refs', filter.input_refs),
    refCondition('output_refs', filter.output_refs),
    oneOf('parent_id', filter.parent_ids),
    oneOf('trace_id', filter.trace_ids),
    oneOf('id', filter.call_ids),
    strictlyOneOf('thread_id', filter.thread_ids),
    strictlyOneOf('turn_id', filter.turn_ids),
    filter.trace_roots_only && sql`parent_id = ''`,
    oneOf('user_id', filter.wb_user_ids),
    oneOf(
      'run_id',
      filter.wb_run_ids?.map((run) => fullRunId(projectId, run)),
    ),
  ]);
}

type Values = readonly string[] | null | undefined;

function oneOf(column: string, values: Values): Sql | undefined {
  return values?.length ? strictlyOneOf(column, values) : undefined;
}

/** Here an empty list matches nothing, as clients of these two keys expect. */
function strictlyOneOf(column: string, values: Values): Sql | undefined {
  return values ? sql`${raw(column)} IN ${bind('Array(String)', values)}` : undefined;
}

const isWildcard = (value: string) => value.endsWith(':*');
const stem = (value: string) => value.slice(0, -1);

function opCondition(names: Values): Sql | undefined {
  if (!names?.length) return undefined;
  const exact = names.filter((name) => !isWildcard(name));
  const prefixes = names.filter(isWildcard).map(stem);
  return anyOf([
    exact.length > 0 && sql`op_name IN ${bind('Array(String)', exact)}`,
    prefixes.length > 0 &&
      sql`arrayExists(prefix -> startsWith(op_name, prefix), ${bind('Array(String)', prefixes)})`,
  ]);
}

function refCondition(column: 'input_refs' | 'output_refs', refs: Values): Sql | undefined {
  if (!refs?.length) return undefined;
  const exact = refs.filter((ref) => !isWildcard(ref));
  const prefixes = refs.filter(isWildcard).map(stem);
  return anyOf([
    exact.length > 0 && sql`hasAny(${raw(column)}, ${bind('Array(String)', exact)})`,
    prefixes.length > 0 &&
      sql`arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), ${bind('Array(String)', prefixes)}), ${raw(column)})`,
  ]);
}

function anyOf(conditions: readonly (Sql | false)[]): Sql {
  const present = conditions.filter((one): one is Sql => one !== false);
  return sql`(${join(present, ' OR ')})`;
}

/** A bare run id means a run of this project. */
function fullRunId(projectId: string, run: string): string {
  return run.includes('/') ? run : `${projectId}/${run}`;
}
