import { tabSeparated, type LineDecoder } from '@app/clickhouse';
import type { CallRecordRow, CallVersionRow, SelectedColumn } from './calls.sql.js';

const NUMBERS = ['started_at', 'ended_at', 'run_step', 'run_step_end', 'size_bytes'];
const TEXTS = [
  ...['id', 'project_id', 'trace_id', 'op_name', 'parent_id', 'thread_id', 'turn_id'],
  ...['display_name', 'status', 'exception', 'user_id', 'run_id'],
  ...['attributes', 'inputs', 'output', 'summary', 'otel_dump'],
];
const KINDS = new Map([
  ...NUMBERS.map((name) => [name, 'number'] as const),
  ...TEXTS.map((name) => [name, 'text'] as const),
]);
const NAMES: Readonly<Record<string, string>> = { started_at: 'started', ended_at: 'ended' };

/** Reads rows with these columns from a result that is separated by tabs; undefined when one is neither text nor number. */
export function callDecoder(
  columns: readonly SelectedColumn[],
): LineDecoder<CallRecordRow> | undefined {
  const kinds = kindsOf(columns);
  return kinds && tabSeparated(kinds);
}

/** Of `versionsOfCall`. */
const VERSION = [
  ['version', 'text'],
  ['is_deleted', 'number'],
] as const;

/** The same for rows of `versionsOfCall`. */
export function versionDecoder(
  columns: readonly SelectedColumn[],
): LineDecoder<CallVersionRow> | undefined {
  const kinds = kindsOf(columns);
  return kinds && tabSeparated([...kinds, ...VERSION]);
}

function kindsOf(columns: readonly SelectedColumn[]) {
  const kinds = columns.flatMap((column) => {
    if (typeof column !== 'string') return [];
    const kind = KINDS.get(column);
    return kind ? [[NAMES[column] ?? column, kind] as const] : [];
  });
  return kinds.length === columns.length ? kinds : undefined;
}
