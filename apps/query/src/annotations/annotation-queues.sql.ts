import {
  and,
  annotationItems,
  annotationQueues,
  bind,
  join,
  raw,
  sql,
  type Sql,
} from '@app/clickhouse';
import type {
  AnnotationItemsQueryRequest,
  AnnotationQueuesQueryRequest,
  SortField,
} from '@app/contracts';
import { ExprError, shown } from '@app/query-language';
import { directionOf, limitClause, pageOf } from '../paging.js';

const QUEUE_FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'queue_name',
  description: 'about',
  created_at: 'created_at',
  created_by: 'created_by',
  updated_at: 'updated_at',
};

/** One page of the queues of a project. */
export function queryQueues(request: AnnotationQueuesQueryRequest): Sql {
  const { project_id, name, sort_by } = request;
  const where = name
    ? sql` WHERE positionCaseInsensitiveUTF8(queue_name, ${bind('String', name)}) > 0`
    : raw('');
  const order = orderOf(sort_by, QUEUE_FIELDS, 'created_seq DESC');
  return sql`SELECT * EXCEPT (creation, created_seq) FROM (${annotationQueues(project_id)})${where}
ORDER BY ${order}${limitClause(pageOf(request))}`;
}

const ITEM_FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  call_id: 'call',
  call_started_at: 'call_started',
  call_ended_at: 'call_ended',
  call_op_name: 'op_name',
  call_trace_id: 'trace_id',
  added_by: 'added_by',
  annotation_state: 'state',
  annotator_user_id: 'annotator',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** One page of the items of a queue. Positions count all of its items, whatever the filter. */
export function queryItems(queueId: string, request: AnnotationItemsQueryRequest): Sql {
  const { project_id, sort_by, filter } = request;
  const order = orderOf(sort_by, ITEM_FIELDS, 'added_seq');
  const position = request.include_position
    ? sql`, row_number() OVER (ORDER BY ${order}) AS position`
    : raw('');
  const { id, call_id, call_op_name, call_trace_id, added_by, annotation_states } = filter ?? {};
  const equal = (column: string, value: string | null | undefined) =>
    value ? sql`${raw(column)} = ${bind('String', value)}` : undefined;
  const where = and([
    raw('true'),
    equal('id', id),
    equal('call', call_id),
    equal('op_name', call_op_name),
    equal('trace_id', call_trace_id),
    equal('added_by', added_by),
    annotation_states?.length
      ? sql`state IN ${bind('Array(String)', annotation_states)}`
      : undefined,
  ]);
  return sql`SELECT * EXCEPT (addition, latest) FROM (
  SELECT *${position} FROM (${annotationItems(project_id, [queueId])}))
WHERE ${where} ORDER BY ${order}${limitClause(pageOf(request))}`;
}

/** The number of items of each queue that has any, and how many of them are finished. */
export function itemCounts(projectId: string, queueIds: readonly string[]): Sql {
  return sql`SELECT queue_id, count() AS total, countIf(state IN ('completed', 'skipped')) AS finished
FROM (${annotationItems(projectId, queueIds)}) GROUP BY queue_id`;
}

/** A total order, so that pages neither overlap nor leave gaps. */
function orderOf(
  sortBy: readonly SortField[] | null | undefined,
  fields: Readonly<Record<string, string>>,
  otherwise: string,
): Sql {
  const keys = (sortBy ?? []).map((key, i) => {
    const column = Object.hasOwn(fields, key.field) ? fields[key.field] : undefined;
    if (column) return raw(`${column} ${directionOf(key, i)}`);
    const reason = `must be one of ${Object.keys(fields).join(', ')}, not ${shown(key.field)}`;
    throw new ExprError('value', ['sort_by', i, 'field'], reason);
  });
  return join([...keys, raw(otherwise), raw('id')], ', ');
}
