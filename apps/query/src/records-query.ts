import { join, raw, sql, type Sql } from '@app/clickhouse';
import type { RecordsQueryRequest } from '@app/contracts';
import {
  compileExpr,
  mergeEqualities,
  parseQuery,
  payloadUses,
  requireFewPayloads,
  sortKeys,
  type FieldMap,
} from '@app/query-language';
import { directionOf, limitClause, pageOf, sortFields } from './paging.js';

/** Which records to read, in which order, and which page of them. */
export interface RecordsQuery {
  /** Undefined: every record. */
  readonly where: Sql | undefined;
  /** ORDER BY, LIMIT and OFFSET, as far as requested. */
  readonly page: Sql;
}

/** Compiles a query for records with named fields, such as feedback and prices. */
export function recordsQuery(
  { query, sort_by, limit, offset }: Omit<RecordsQueryRequest, 'project_id'>,
  fields: FieldMap,
): RecordsQuery {
  const keys = (sort_by ?? []).map((key, i) => {
    const at = ['sort_by', i, 'field'];
    return sortKeys(fields.field(key.field, at), directionOf(key, i), at);
  });
  const expr = query ? mergeEqualities(parseQuery(query)) : undefined;
  requireFewPayloads(payloadUses({ expr, sortBy: sortFields(sort_by) }, fields));
  const order = keys.length > 0 ? sql`\nORDER BY ${join([...keys, raw('id')], ', ')}` : raw('');
  return {
    where: expr && compileExpr(expr, fields),
    page: sql`${order}${limitClause(pageOf({ limit, offset }), '\n')}`,
  };
}
