import { bind, join, atMicros, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsFilter } from '@app/contracts';
import type { Micros } from '@app/wire';

/** The conditions of a filter, all of which must hold. */
export function filterConditions(projectId: string, filter: CallsFilter): Sql[] {
  return [
    opCondition(filter.op_names),
    refCondition('input_refs', filter.input_refs),
    refCondition('output_refs', filter.output_refs),
    oneOf('parent_id', filter.parent_ids),
    oneOf('trace_id', filter.trace_ids),
    oneOf('id', filter.call_ids),
    strictlyOneOf('thread_id', filter.thread_ids),
    strictlyOneOf('turn_id', filter.turn_ids),
    filter.trace_roots_only ? sql`parent_id = ''` : undefined,
    oneOf('user_id', filter.wb_user_ids),
    oneOf(
      'run_id',
      filter.wb_run_ids?.map((run) => fullRunId(projectId, run)),
    ),
  ].filter((one) => one !== undefined);
}

/** Retention, as a condition of every query for calls. */
export function startedSince(since: Micros | undefined): Sql[] {
  if (since === undefined) return [];
  return [sql`started_at >= ${atMicros(since)}`];
}

const INDEXED = [
  'call_ids',
  'trace_ids',
  'parent_ids',
  'thread_ids',
  'input_refs',
  'output_refs',
] as const;

/** Whether an index finds the few calls that match. */
export function isNarrow(filter: CallsFilter): boolean {
  return INDEXED.some((key) => filter[key]?.length);
}

type Values = readonly string[] | null | undefined;

function oneOf(column: string, values: Values): Sql | undefined {
  return values?.length ? strictlyOneOf(column, values) : undefined;
}

/** An empty list matches nothing, as the clients expect of `thread_ids` and `turn_ids`. */
function strictlyOneOf(column: string, values: Values): Sql | undefined {
  return values ? sql`${raw(column)} IN ${bind('Array(String)', values)}` : undefined;
}

const isWildcard = (value: string) => value.endsWith(':*');
const stem = (value: string) => value.slice(0, -1);

function opCondition(names: Values): Sql | undefined {
  return exactOrVersions(
    names,
    (exact) => sql`op_name IN ${exact}`,
    (prefixes) => sql`arrayExists(prefix -> startsWith(op_name, prefix), ${prefixes})`,
  );
}

function refCondition(column: 'input_refs' | 'output_refs', refs: Values): Sql | undefined {
  return exactOrVersions(
    refs,
    (exact) => sql`hasAny(${raw(column)}, ${exact})`,
    (prefixes) =>
      sql`arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), ${prefixes}), ${raw(column)})`,
  );
}

type Condition = (values: ReturnType<typeof bind>) => Sql;

/** Values that end in `:*` match any version, the others exactly. */
function exactOrVersions(values: Values, exactly: Condition, ofAny: Condition): Sql | undefined {
  if (!values?.length) return undefined;
  const exact = values.filter((value) => !isWildcard(value));
  const prefixes = values.filter(isWildcard).map(stem);
  const conditions = [
    ...(exact.length > 0 ? [exactly(bind('Array(String)', exact))] : []),
    ...(prefixes.length > 0 ? [ofAny(bind('Array(String)', prefixes))] : []),
  ];
  return sql`(${join(conditions, ' OR ')})`;
}

/** A bare run id names a run of this project. */
function fullRunId(projectId: string, run: string): string {
  return run.includes('/') ? run : `${projectId}/${run}`;
}
