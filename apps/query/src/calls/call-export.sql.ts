import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import { ExprError, shown } from '@app/query-language';
import { TOTAL_COST, type CallFields } from './call-fields.js';
import type { CallsQuery } from './calls-query.js';
import { liveCalls, page } from './calls.sql.js';

/** The most columns of a file. Each one below a payload is parsed from its text. */
const COLUMNS_MAX = 100;

/** Stored as JSON text, and exported as it is. */
const PAYLOADS = ['attributes', 'inputs', 'output', 'summary'];

const DEFAULT_COLUMNS = [
  'id',
  'project_id',
  'trace_id',
  'parent_id',
  'thread_id',
  'turn_id',
  'op_name',
  'display_name',
  'started_at',
  'ended_at',
  'summary.weave.status',
  'summary.weave.latency_ms',
  'exception',
  'wb_user_id',
  'wb_run_id',
  ...PAYLOADS,
];

/** The number of feedback records of a call. Their contents are not part of a call. */
const FEEDBACK = 'feedback';

/** What a column of a file may begin with. */
const FIRST = new Set([
  ...DEFAULT_COLUMNS.filter((name) => !name.includes('.')),
  'wb_run_step',
  'wb_run_step_end',
  'input_refs',
  'output_refs',
]);

interface Columns {
  readonly columns?: readonly string[] | null;
  readonly include_costs?: boolean | null;
}

/** The names of the columns, each once. */
export function exportedColumns({ columns, include_costs }: Columns): string[] {
  const names = [...(columns ?? DEFAULT_COLUMNS), ...(include_costs ? [TOTAL_COST] : [])];
  const unknown = names.findIndex(
    (name) => name !== FEEDBACK && !FIRST.has(name.split('.', 1)[0]!),
  );
  if (unknown !== -1) {
    const reason = `${shown(names[unknown])} is not a column of a call`;
    throw new ExprError('shape', ['columns', unknown], reason);
  }
  const distinct = [...new Set(names)];
  if (distinct.length > COLUMNS_MAX) {
    throw new ExprError('value', ['columns'], `a file has at most ${COLUMNS_MAX} columns`);
  }
  if (distinct.length === 0) throw new ExprError('value', ['columns'], 'a file needs a column');
  return distinct;
}

/** The columns that are read from the fields of a call. */
export const fieldColumns = (names: readonly string[]): string[] =>
  names.filter((name) => name !== FEEDBACK);

/** The matching calls with one column per name. The outer query names the columns, since conditions must not see these names. */
export function exportedCalls(
  query: CallsQuery,
  names: readonly string[],
  fields: CallFields,
): Sql {
  const inner = names.map(
    (name, i) => sql`${valueOf(name, i, fields, query.projectId)} AS ${raw(`c${i}`)}`,
  );
  const outer = names.map((name, i) => sql`${raw(`c${i}`)} AS ${bind('Identifier', name)}`);
  return sql`SELECT ${join(outer, ', ')}
FROM (SELECT ${join(inner, ', ')}
FROM ${liveCalls(query, bind('String', query.projectId))}
ORDER BY ${query.order.by}${page(query)})`;
}

function valueOf(name: string, i: number, fields: CallFields, projectId: string): Sql {
  if (PAYLOADS.includes(name)) return raw(name);
  if (name === FEEDBACK) return feedbackCount(projectId);
  const value = fields.field(name, ['columns', i]);
  if (value.kind === 'json') return sql`if(${value.exists()}, ${value.text()}, NULL)`;
  // A list is empty rather than null.
  return value.unset && value.kind !== 'texts'
    ? sql`if(${value.unset}, NULL, ${value.sql})`
    : value.sql;
}

/** ClickHouse evaluates the subquery once, and looks each call up in the result. */
function feedbackCount(projectId: string): Sql {
  const project = bind('String', projectId);
  const counts = sql`SELECT call_id, count() AS records FROM feedback FINAL WHERE project_id = ${project} AND call_id != '' GROUP BY call_id`;
  const both = sql`(SELECT (groupArray(call_id), groupArray(records)) FROM (${counts}))`;
  return sql`transform(id, ${both}.1, ${both}.2, 0)`;
}
