import type { Millis } from '@app/wire';
import type { AuditContent } from './audit-chain.js';
import { withinScope } from './scope.js';
import { and, atMillis, bind, sql, type Sql } from './sql.js';

export interface AuditFilter {
  /** `*`, an entity or a project. Only actions inside this scope are returned. */
  readonly scope: string;
  readonly userId?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: Millis | undefined;
  readonly before?: Millis | undefined;
}

export interface AuditLogRow extends Omit<AuditContent, 'at'> {
  readonly at: number | string;
  /** 0 for an entry from before the chain. */
  readonly seq: number | string;
  readonly hash: string;
}

const COLUMNS = sql`toUnixTimestamp64Micro(at) AS at, id, user_id, key_id, address, request_id, action, project_id, detail, seq, hash`;

/** One page of all entries that match, oldest first, after the given one. */
export function auditPage(
  filter: AuditFilter,
  after: Pick<AuditLogRow, 'at' | 'id'>,
  limit: number,
): Sql {
  const at = bind('Int64', String(after.at));
  return sql`SELECT ${COLUMNS} FROM audit
WHERE ${matching(filter)} AND (toUnixTimestamp64Micro(audit.at), id) > (${at}, ${bind('String', after.id)})
ORDER BY audit.at, id LIMIT 1 BY id LIMIT ${bind('UInt64', limit)}`;
}

/** The entries of the chain from `from` on, sorted by number. Copies of one entry are returned once. */
export function auditChain(from: number, count: number): Sql {
  const to = bind('UInt64', from + count - 1);
  return sql`SELECT DISTINCT ${COLUMNS} FROM audit WHERE seq >= ${bind('UInt64', from)} AND seq <= ${to}
ORDER BY seq, hash LIMIT ${bind('UInt64', 2 * count)}`;
}

/** The last entry of the chain, and how many entries are older than the chain. */
export const AUDIT_END = sql`SELECT max(audit.seq) AS seq, argMax(audit.hash, audit.seq) AS hash, uniqExactIf(id, audit.seq = 0) AS older FROM audit`;

/** The newest entries that match. An entry that was inserted twice is returned once. */
export function auditLog(filter: AuditFilter, limit: number): Sql {
  return sql`SELECT ${COLUMNS} FROM audit
WHERE ${matching(filter)}
ORDER BY audit.at DESC, id LIMIT 1 BY id LIMIT ${bind('UInt64', limit)}`;
}

function matching({ scope, userId, action, from, before }: AuditFilter): Sql {
  return and([
    withinScope(scope),
    userId !== undefined && sql`user_id = ${bind('String', userId)}`,
    action !== undefined && sql`startsWith(action, ${bind('String', action)})`,
    from !== undefined && sql`audit.at >= ${atMillis(from)}`,
    before !== undefined && sql`audit.at < ${atMillis(before)}`,
  ]);
}
