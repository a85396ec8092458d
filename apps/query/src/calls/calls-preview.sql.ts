import { bind, raw, sql, type Sql } from '@app/clickhouse';
import { selectedColumns } from './call-selection.js';
import type { CallFields } from './call-fields.js';
import type { CallRecordRow, SelectedColumn } from './calls.sql.js';

export interface CallPreviewRow extends CallRecordRow {
  readonly exception_text: string;
  readonly inputs_text: string;
  readonly inputs_bytes: number | string;
  readonly output_text: string;
  readonly output_bytes: number | string;
  /** The text that was searched, by payload. Position 0 is "not found". */
  readonly inputs_hit?: number | string;
  readonly inputs_snippet?: string;
  readonly output_hit?: number | string;
  readonly output_snippet?: string;
  /** `value0`, `value1`, … of the requested fields. */
  readonly [value: `value${number}`]: string | null;
}

export interface Preview {
  readonly characters: number;
  readonly columns: readonly string[];
  readonly highlight: string;
}

const PLAIN = ['display_name', 'parent_id', 'thread_id', 'ended_at', 'wb_user_id'];
/** Characters before the text that was found, and in the whole snippet. */
const SNIPPET_BEFORE = 40;
const SNIPPET_LENGTH = 160;

/** ClickHouse cuts the texts, so that a list of large payloads is still a small response. */
export function previewColumns(
  { characters, columns, highlight }: Preview,
  fields: CallFields,
): SelectedColumn[] {
  const cut = (text: Sql) => sql`substringUTF8(${text}, 1, ${bind('UInt64', characters)})`;
  const payload = (name: string) => [
    sql`${cut(raw(name))} AS ${raw(name)}_text`,
    sql`length(${raw(name)}) AS ${raw(name)}_bytes`,
    ...(highlight === '' ? [] : hit(name, highlight)),
  ];
  return [
    ...selectedColumns(PLAIN, ['usage']),
    'status',
    sql`${cut(raw('exception'))} AS exception_text`,
    ...payload('inputs'),
    ...payload('output'),
    ...columns.map(
      (name, i) => sql`${textOf(name, ['columns', i], fields, cut)} AS ${raw(`value${i}`)}`,
    ),
  ];
}

/** Payloads are JSON texts, in which a text has the escapes of JSON. */
export const escapedText = (text: string): string => JSON.stringify(text).slice(1, -1);

function hit(name: string, highlight: string): Sql[] {
  const text = bind('String', escapedText(highlight));
  const [column, alias] = [raw(name), raw(`${name}_hit`)];
  const from = sql`greatest(1, toInt64(${alias}) - ${bind('Int64', SNIPPET_BEFORE)})`;
  return [
    sql`positionCaseInsensitiveUTF8(${column}, ${text}) AS ${alias}`,
    sql`if(${alias} = 0, '', substringUTF8(${column}, ${from}, ${bind('UInt64', SNIPPET_LENGTH)})) AS ${raw(`${name}_snippet`)}`,
  ];
}

function textOf(
  name: string,
  at: (string | number)[],
  fields: CallFields,
  cut: (text: Sql) => Sql,
): Sql {
  const value = fields.field(name, at);
  if (value.kind === 'json') return sql`if(${value.exists()}, ${cut(value.text())}, NULL)`;
  if (value.kind === 'texts') return cut(sql`arrayStringConcat(${value.sql}, ' ')`);
  const text = cut(sql`toString(${value.sql})`);
  return value.unset ? sql`if(${value.unset}, NULL, ${text})` : text;
}

/** How many feedback records each of these calls has. */
export const feedbackCounts = (projectId: string, callIds: readonly string[]): Sql =>
  sql`SELECT call_id, count() AS records FROM feedback FINAL
WHERE project_id = ${bind('String', projectId)} AND call_id IN ${bind('Array(String)', callIds)} GROUP BY call_id`;
