import { Injectable } from '@nestjs/common';
import { AUDIT, Store } from '@app/clickhouse';
import { AuditTrail, type Audited } from '@app/queue';

const BATCH = 1000;

/** Moves audit entries from Redis into their table. An entry that a crash moves twice is still read once. */
@Injectable()
export class AuditJob {
  constructor(
    private readonly trail: AuditTrail,
    private readonly store: Store,
  ) {}

  async run(): Promise<void> {
    const entries = await this.trail.oldest(BATCH);
    if (entries.length === 0) return;
    await this.store.insert(AUDIT, entries.map(auditRow));
    await this.trail.remove(entries);
  }
}

const auditRow = ({ at, id, userId, action, projectId, detail }: Audited) => ({
  at,
  id,
  user_id: userId,
  action,
  project_id: projectId,
  detail: JSON.stringify(detail),
});
