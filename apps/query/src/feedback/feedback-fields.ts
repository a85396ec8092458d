import { raw, sql } from '@app/clickhouse';
import {
  column,
  computed,
  ExprError,
  JsonText,
  parsePath,
  shown,
  textColumn,
  type FieldMap,
  type Place,
  type Plain,
  type Value,
} from '@app/query-language';

/** The maps that a scorer's result consists of. */
export const SCORER_MAPS = [
  'scorer_tag_reasons',
  'scorer_tag_confidences',
  'scorer_ratings',
  'scorer_rating_reasons',
  'scorer_rating_confidences',
] as const;

export const SPAN_FIELDS = [
  'span_agent_name',
  'span_agent_version',
  'span_status_code',
  'span_conversation_id',
  'span_trace_id',
  'scorer_trace_id',
] as const;

export const TAGS = raw(`JSONExtract(scorer, 'scorer_tags', 'Array(String)')`);

const spanField = (name: string): Plain => {
  const value = raw(`JSONExtractString(span, '${name}')`);
  return computed('text', value, sql`${value} = ''`);
};

const FIELDS: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ['id', column('text', 'id')],
  ['project_id', column('text', 'project_id')],
  ['weave_ref', column('text', 'weave_ref')],
  ['item_ref', column('text', 'weave_ref')],
  ['wb_user_id', textColumn('user_id')],
  ['creator', textColumn('creator')],
  ['created_at', column('time', 'created_at')],
  ['feedback_type', column('text', 'feedback_type')],
  ['annotation_ref', textColumn('annotation_ref')],
  ['runnable_ref', textColumn('runnable_ref')],
  ['call_ref', textColumn('call_ref')],
  ['trigger_ref', textColumn('trigger_ref')],
  ['queue_id', textColumn('queue_id')],
  ['scorer_tags', { kind: 'texts', sql: TAGS, unset: sql`empty(${TAGS})` }],
  ...SPAN_FIELDS.map((name): [string, Plain] => [name, spanField(name)]),
]);

/** The fields of feedback that a query or a sort may name. */
export const FEEDBACK_FIELDS: FieldMap = {
  field: (path: string, at: Place): Value => FIELDS.get(path) ?? inJson(path, at),
};

function inJson(path: string, at: Place): Value {
  const [name = '', ...keys] = parsePath(path, at);
  if (name === 'payload') return new JsonText(raw('payload'), keys);
  if (SCORER_MAPS.some((map) => map === name)) return new JsonText(raw('scorer'), [name, ...keys]);
  throw notAField(path, at);
}

export const notAField = (path: string, at: Place): ExprError =>
  new ExprError('value', at, `${shown(path)} is not a field of feedback`);
