import { ExprError, shown } from '@app/query-language';
import { USAGE_COLUMNS } from '../costs/usage-columns.js';

/** The ClickHouse columns that each column of the wire is made from. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  id: [],
  project_id: [],
  trace_id: [],
  op_name: [],
  started_at: [],
  display_name: ['display_name'],
  parent_id: ['parent_id'],
  thread_id: ['thread_id'],
  turn_id: ['turn_id'],
  ended_at: ['ended_at'],
  exception: ['exception'],
  wb_user_id: ['user_id'],
  wb_username: ['user_id'],
  wb_run_id: ['run_id'],
  wb_run_step: ['run_step'],
  wb_run_step_end: ['run_step_end'],
  attributes: ['attributes', 'otel_dump'],
  inputs: ['inputs'],
  output: ['output'],
  summary: ['summary', 'status', 'ended_at', 'exception', 'display_name'],
  otel_dump: ['attributes', 'otel_dump'],
  deleted_at: [],
  expire_at: [],
  input_refs: [],
  output_refs: [],
  storage_size_bytes: ['size_bytes'],
  total_storage_size_bytes: ['parent_id'],
};

/** Sources of extras, which are not columns of the wire. */
const EXTRA_SOURCES: Readonly<Record<string, readonly string[]>> = { usage: USAGE_COLUMNS };

const ALWAYS = ['id', 'project_id', 'trace_id', 'op_name', 'started_at'];
const DEFAULT_COLUMNS = Object.keys(SOURCES).filter((name) => !name.endsWith('_bytes'));

/** The ClickHouse columns for columns of the wire; without `columns`, for all but the sizes. */
export function selectedColumns(
  columns: readonly string[] | null | undefined,
  extra: readonly string[] = [],
): readonly string[] {
  const sources = [
    ...(columns ?? DEFAULT_COLUMNS).flatMap(sourcesOf),
    ...extra.flatMap((name) => EXTRA_SOURCES[name] ?? SOURCES[name] ?? []),
  ];
  return [...new Set([...ALWAYS, ...sources])];
}

/** A dotted column selects the whole field that contains it. */
function sourcesOf(column: string, i: number): readonly string[] {
  const [field = ''] = column.split('.', 1);
  const sources = Object.hasOwn(SOURCES, field) ? SOURCES[field] : undefined;
  if (sources === undefined) {
    throw new ExprError('shape', ['columns', i], `${shown(column)} is not a column of a call`);
  }
  return sources;
}
