import { Inject, Injectable } from '@nestjs/common';
import { requireAccess } from '@app/auth';
import type { QueryConfig } from '@app/config';
import { PendingWrites } from '@app/queue';
import { ReadLimits } from './read-limits.js';
import type { ReadContext } from './read-context.js';
import { QUERY_CONFIG } from './tokens.js';

/** Every read of a project begins here: may the caller read it, do they ask too much, and has it caught up with their own writes? */
@Injectable()
export class OwnWrites {
  constructor(
    private readonly pending: PendingWrites,
    private readonly limits: ReadLimits,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** Resolves when the caller's writes to the project are visible, or when waiting longer would be rude. */
  async visible(context: ReadContext, projectId: string): Promise<void> {
    requireAccess(context.principal, 'read', [projectId]);
    await this.limits.begin(context, projectId);
    if (context.isEventual) return;
    const left = await this.pending.settled(
      projectId,
      context.principal.user,
      this.config.readWaitMs,
    );
    if (left > 0) context.reportPending(left);
  }
}
