import { Injectable } from '@nestjs/common';
import { auditLog, Store, type AuditFilter, type AuditLogRow } from '@app/clickhouse';
import type { AuditRecord } from '@app/contracts';
import { micros, printTimestamp } from '@app/wire';

@Injectable()
export class AuditReader {
  constructor(private readonly store: Store) {}

  async newest(filter: AuditFilter, limit: number): Promise<AuditRecord[]> {
    const lines = await this.store.rows<AuditLogRow>(auditLog(filter, limit));
    return lines.map(
      ({ at, id, user_id, key_id, address, request_id, action, project_id, detail }) => ({
        id,
        at: printTimestamp(micros(Number(at))),
        user: user_id,
        key_id,
        address,
        request_id,
        action,
        scope: project_id,
        detail: JSON.parse(detail) as object,
      }),
    );
  }
}
