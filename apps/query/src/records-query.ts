import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { RecordsQueryRequest } from '@app/contracts';
import { compileExpr, parseQuery, sortKeys, type FieldMap } from '@app/query-language';
import { directionOf, windowOf } from './paging.js';

/** Which records, in which order, and which of them. */
export interface RecordsQuery {
  /** Undefined: every one. */
  readonly where: Sql | undefined;
  /** ORDER BY, LIMIT and OFFSET, as far as they were asked for. */
  readonly page: Sql;
}

/** The parts that questions about records with named fields have in common. */
export function recordsQuery(
  { query, sort_by, limit, offset }: Omit<RecordsQueryRequest, 'project_id'>,
  fields: FieldMap,
): RecordsQuery {
  const keys = (sort_by ?? []).map((key, i) => {
    const at = ['sort_by', i, 'field'];
    return sortKeys(fields.field(key.field, at), directionOf(key, i), at);
  });
  const order = keys.length > 0 ? sql`\nORDER BY ${join([...keys, raw('id')], ', ')}` : raw('');
  const window = windowOf({ limit: limit ?? null, offset: offset ?? null });
  return {
    where: query ? compileExpr(parseQuery(query), fields) : undefined,
    page: sql`${order}${pageOf(window)}`,
  };
}

function pageOf({ limit, offset }: { limit: number | undefined; offset: number }): Sql {
  if (limit === undefined && offset === 0) return raw('');
  const most = limit === undefined ? '18446744073709551615' : limit;
  return sql`\nLIMIT ${bind('UInt64', most)} OFFSET ${bind('UInt64', offset)}`;
}
