import { Injectable } from '@nestjs/common';
import { actorOf, type Principal } from '@app/auth';
import { AuditTrail } from '@app/queue';

/** Writes logins of the page to the audit log. */
@Injectable()
export class LoginAudit {
  constructor(private readonly audit: AuditTrail) {}

  async record(principal: Principal): Promise<void> {
    const { scope, role, keyId } = principal;
    const entry = { action: 'sessions.create', projectId: scope, detail: { id: keyId, role } };
    await this.audit.record({ ...actorOf(principal), ...entry });
  }
}
