import { parsePath } from '@app/query-language';
import { micros, printTimestamp, textAtPath } from '@app/wire';
import { notAField, SCORER_MAPS, SPAN_FIELDS } from './feedback-fields.js';

/** A row that a feedback record is made from. A column that was not selected is absent. */
export interface FeedbackRow {
  readonly id?: string;
  readonly weave_ref?: string;
  readonly call_id?: string;
  readonly user_id?: string;
  readonly creator?: string;
  readonly created?: number | string;
  readonly feedback_type?: string;
  readonly payload?: string;
  readonly annotation_ref?: string;
  readonly runnable_ref?: string;
  readonly call_ref?: string;
  readonly trigger_ref?: string;
  readonly queue_id?: string;
  readonly scorer?: string;
  readonly span?: string;
}

/** A field of the response: the columns it needs, and its JSON text for a row. */
export interface ResponseField {
  readonly name: string;
  readonly columns: readonly string[];
  readonly json: (row: FeedbackRow, projectId: string) => string;
}

type TextColumn = Exclude<keyof FeedbackRow, 'created'>;

const text = (name: string, column: TextColumn = name as TextColumn): ResponseField => ({
  name,
  columns: [column],
  json: (row) => JSON.stringify(row[column] ?? ''),
});

const orNull = (name: string, column: TextColumn = name as TextColumn): ResponseField => ({
  name,
  columns: [column],
  json: (row) => JSON.stringify(row[column] || null),
});

/** The text at a path of a column of JSON. */
const at = (name: string, column: 'payload' | 'scorer' | 'span', keys: readonly string[]) => ({
  name,
  columns: [column],
  json: (row: FeedbackRow) => textAtPath(Buffer.from(row[column] ?? ''), keys) ?? 'null',
});

const COLUMNS: readonly ResponseField[] = [
  text('id'),
  { name: 'project_id', columns: [], json: (_, projectId) => JSON.stringify(projectId) },
  text('weave_ref'),
  text('wb_user_id', 'user_id'),
  orNull('creator'),
  {
    name: 'created_at',
    columns: ['toUnixTimestamp64Micro(created_at) AS created'],
    json: ({ created }) => JSON.stringify(printTimestamp(micros(Number(created)))),
  },
  text('feedback_type'),
  { name: 'payload', columns: ['payload'], json: ({ payload }) => payload ?? '{}' },
  orNull('annotation_ref'),
  orNull('runnable_ref'),
  orNull('call_ref'),
  orNull('trigger_ref'),
  orNull('queue_id'),
  ...['scorer_tags', ...SCORER_MAPS].map((name) => at(name, 'scorer', [name])),
  ...SPAN_FIELDS.map((name) => at(name, 'span', [name])),
];

const BY_NAME = new Map([...COLUMNS, text('item_ref', 'weave_ref')].map((one) => [one.name, one]));

/** The fields of `summary.weave.feedback`. */
export const ON_CALLS: readonly ResponseField[] = [
  ...['id', 'feedback_type', 'weave_ref', 'payload', 'creator', 'created_at', 'wb_user_id'],
  ...['runnable_ref', 'call_ref', 'trigger_ref', 'annotation_ref'],
  ...['scorer_tags', ...SCORER_MAPS],
].map((name) => BY_NAME.get(name)!);

/** The requested fields; all columns when the request names none. */
export function responseFields(
  names: readonly string[] | null | undefined,
): readonly ResponseField[] {
  if (!names) return COLUMNS;
  return names.map((name, i) => BY_NAME.get(name) ?? inJson(name, i));
}

function inJson(name: string, i: number): ResponseField {
  const place = ['fields', i];
  const [column = '', ...keys] = parsePath(name, place);
  if (column === 'payload') return at(name, 'payload', keys);
  if (SCORER_MAPS.some((map) => map === column)) return at(name, 'scorer', [column, ...keys]);
  throw notAField(name, place);
}

/** The wire's feedback as JSON text. */
export function feedbackRecord(
  row: FeedbackRow,
  fields: readonly ResponseField[],
  projectId: string,
): string {
  const members = fields.map(({ name, json }) => `${JSON.stringify(name)}:${json(row, projectId)}`);
  return `{${members.join(',')}}`;
}
