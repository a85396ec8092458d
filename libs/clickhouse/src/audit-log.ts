import type { Millis } from '@app/wire';
import { and, atMillis, bind, sql, type Sql } from './sql.js';

export interface AuditFilter {
  /** `*`, an entity or a project. Only actions inside this scope are returned. */
  readonly scope: string;
  readonly userId?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: Millis | undefined;
  readonly before?: Millis | undefined;
}

export interface AuditLogRow {
  readonly at: number | string;
  readonly id: string;
  readonly user_id: string;
  readonly action: string;
  readonly project_id: string;
  readonly detail: string;
}

/** The newest entries that match. An entry that was inserted twice is returned once. */
export function auditLog(filter: AuditFilter, limit: number): Sql {
  const { scope, userId, action, from, before } = filter;
  return sql`SELECT toUnixTimestamp64Micro(at) AS at, id, user_id, action, project_id, detail FROM audit
WHERE ${and([
    scope !== '*' &&
      sql`(project_id = ${bind('String', scope)} OR startsWith(project_id, ${bind('String', `${scope}/`)}))`,
    userId !== undefined && sql`user_id = ${bind('String', userId)}`,
    action !== undefined && sql`startsWith(action, ${bind('String', action)})`,
    from !== undefined && sql`audit.at >= ${atMillis(from)}`,
    before !== undefined && sql`audit.at < ${atMillis(before)}`,
  ])}
ORDER BY audit.at DESC, id LIMIT 1 BY id LIMIT ${bind('UInt64', limit)}`;
}
