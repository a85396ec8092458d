import { Inject, Injectable } from '@nestjs/common';
import { requireAccess } from '@app/auth';
import type { QueryConfig } from '@app/config';
import { PendingWrites, type PendingSince } from '@app/queue';
import { ConcurrencyLimiter, ProjectRates } from '@app/redis';
import type { IncomingRead, ReadContext } from './read-context.js';
import { QUERY_CONFIG } from './tokens.js';

/** Makes a ReadContext of an incoming read. Without one, nothing can be queried. */
@Injectable()
export class ReadAuthorizer {
  constructor(
    private readonly rates: ProjectRates,
    private readonly concurrency: ConcurrencyLimiter,
    private readonly pendingWrites: PendingWrites,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /**
   * Throws AccessDeniedError for a project that the caller may not read, and RateLimitedError above a limit. Waits until
   * the caller's own writes to these projects can be read, at most `readWaitMs` for each.
   */
  async authorizeRead(read: IncomingRead, ...projectIds: readonly string[]): Promise<ReadContext> {
    const { principal, signal, onClose, explanations } = read;
    requireAccess(principal, 'read', projectIds);
    for (const projectId of projectIds) await this.rates.consume(projectId);
    // Sent to Redis together with the request for slots. A read that gets none waits for nothing.
    const pending = read.isEventual
      ? []
      : projectIds.map((projectId) => this.pendingWrites.since(projectId, principal.user));
    await this.acquireSlots(read, projectIds);
    await this.awaitOwnWrites(read, await Promise.all(pending));
    return { principal, projectIds, signal, onClose, explanations };
  }

  /** The read occupies one slot of its key and one of each project until its connection closes. */
  private async acquireSlots(read: IncomingRead, projectIds: readonly string[]): Promise<void> {
    const { keyMaxConcurrentQueries, projectMaxConcurrentQueries } = this.config;
    const release = await this.concurrency.acquire([
      { of: 'key', who: read.principal.keyId, max: keyMaxConcurrentQueries },
      ...projectIds.map((who) => ({ of: 'project', who, max: projectMaxConcurrentQueries })),
    ]);
    read.onClose(release);
  }

  private async awaitOwnWrites(read: IncomingRead, writes: readonly PendingSince[]): Promise<void> {
    let pending = 0;
    for (const one of writes) pending += await one.settled(this.config.readWaitMs);
    if (pending > 0) read.reportPending(pending);
  }
}
