import { Injectable } from '@nestjs/common';
import { AUDIT, AUDIT_END, chained, CHAIN_START, Store } from '@app/clickhouse';
import { AuditTrail, type AuditBatch, type Audited } from '@app/queue';

const BATCH = 1000;

/**
 * Moves audit entries from Redis into their table, as a chain. The order of the entries in Redis decides their numbers, so a
 * crash or a second run of this job moves an entry twice, but with the same number and hash, and it is read once.
 */
@Injectable()
export class AuditJob {
  constructor(
    private readonly trail: AuditTrail,
    private readonly store: Store,
  ) {}

  async run(): Promise<void> {
    const { entries, head } = await this.batch();
    if (entries.length === 0) return;
    const rows = chained(head ?? CHAIN_START, entries.map(auditRow));
    await this.store.insert(AUDIT, rows);
    const { seq, hash } = rows.at(-1)!;
    await this.trail.remove(entries, { seq, hash });
  }

  /** A Redis without a head gets the one of the table, before the entries are read with it. */
  private async batch(): Promise<AuditBatch> {
    const batch = await this.trail.oldest(BATCH);
    if (batch.head !== undefined || batch.entries.length === 0) return batch;
    const [end] = await this.store.rows<{ seq: number | string; hash: string }>(AUDIT_END);
    await this.trail.restoreHead({ seq: Number(end?.seq ?? 0), hash: end?.hash ?? '' });
    return this.trail.oldest(BATCH);
  }
}

const auditRow = ({ at, id, userId, action, projectId, detail, ...from }: Audited) => ({
  at,
  id,
  user_id: userId,
  key_id: from.keyId ?? '',
  address: from.address ?? '',
  request_id: from.requestId ?? '',
  action,
  project_id: projectId,
  detail: JSON.stringify(detail),
});
