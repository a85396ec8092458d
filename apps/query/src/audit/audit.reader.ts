import { Injectable } from '@nestjs/common';
import {
  auditLog,
  Store,
  verifyAudit,
  type AuditFilter,
  type AuditLogRow,
  type ChainHead,
} from '@app/clickhouse';
import type { AuditRecord, AuditVerifyResponse } from '@app/contracts';
import { AuditTrail } from '@app/queue';
import { queueError } from '@app/redis';
import { micros, printTimestamp } from '@app/wire';

const VERIFIED_PER_REQUEST = 100_000;

@Injectable()
export class AuditReader {
  constructor(
    private readonly store: Store,
    private readonly trail: AuditTrail,
  ) {}

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

  /** Checks a part of the chain, so that a request ends within seconds. */
  async verify(
    expect: ChainHead | undefined,
    after: ChainHead | undefined,
  ): Promise<AuditVerifyResponse> {
    // Read before the table, so that it has all entries up to this one.
    const noted = await this.trail.head().catch((error: unknown) => {
      throw queueError(error);
    });
    const options = { noted, expect, after, limit: VERIFIED_PER_REQUEST };
    const { head, faults, hasMore } = await verifyAudit(this.store, options);
    const end = `${head.seq}:${head.hash}`;
    return {
      is_unchanged: faults.length === 0,
      entries: head.seq,
      end,
      faults: [...faults],
      next: hasMore && faults.length === 0 ? end : null,
    };
  }
}
