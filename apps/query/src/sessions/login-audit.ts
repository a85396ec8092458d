import { Injectable } from '@nestjs/common';
import type { Principal } from '@app/auth';
import { AuditTrail } from '@app/queue';

/** Writes logins of the page to the audit log. */
@Injectable()
export class LoginAudit {
  constructor(private readonly audit: AuditTrail) {}

  async record({ user, scope, role, keyId }: Principal): Promise<void> {
    const detail = { id: keyId, role };
    await this.audit.record({ userId: user, action: 'sessions.create', projectId: scope, detail });
  }
}
