import { Inject, Injectable } from '@nestjs/common';
import { messageOf } from '@app/errors';
import type { Logger } from '@app/observability';
import { AuditTrail, ErasureRequests, type ErasureRequest } from '@app/queue';
import { nowMillis } from '@app/wire';
import { RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';
import { DiskCopies } from './disk-copies.js';
import { Erasure } from './erasure.js';
import type { ErasureTarget } from './erasure-target.js';

const ERROR_MAX_LENGTH = 500;
const BACKUPS =
  'Backups of Redis, ClickHouse and the bucket, earlier versions in a bucket with versioning, and logs: of clients, proxies and ClickHouse.';
const silent = () => undefined;

/** Carries out the erasures that admins have requested, as the command `erase` does. */
@Injectable()
export class ErasureJob {
  constructor(
    private readonly requests: ErasureRequests,
    private readonly erasure: Erasure,
    private readonly copies: DiskCopies,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One at a time. An erasure that was cut off by a shutdown begins again: every step of it is safe to repeat. */
  async run(signal: AbortSignal): Promise<void> {
    for (const request of await this.requests.open()) {
      if (signal.aborted) return;
      await this.carryOut(request);
    }
  }

  private async carryOut(request: ErasureRequest): Promise<void> {
    await this.requests.save({ ...request, state: 'running' });
    try {
      const erased = await this.erasure.erase(targetOf(request), request.actor.userId, silent);
      // The report has it at once; the copies on disks take a minute more.
      await this.requests.save({ ...request, ...erased, state: 'running' });
      const notReached = [...(await this.copies.remove(() => silent)), BACKUPS];
      await this.end({ ...request, ...erased, notReached, state: 'done' });
    } catch (error) {
      // A rebuild or an expiry runs. The next run tries again.
      if (error instanceof RewriteRunningError) return;
      const reason = messageOf(error).slice(0, ERROR_MAX_LENGTH);
      await this.end({ ...request, error: reason, state: 'failed' });
    }
  }

  private async end(request: ErasureRequest): Promise<void> {
    const { id, projectId, actor, state, calls, files, rows, error } = request;
    const detail = { id, state, calls, files, rows, ...(error !== null && { error }) };
    await this.audit.record({ ...actor, action: 'erase.end', projectId, detail });
    await this.requests.save({ ...request, endedAt: nowMillis() });
    this.logger.info('An erasure has ended.', { projectId, state, calls });
  }
}

function targetOf({ projectId, traceId, userId }: ErasureRequest): ErasureTarget {
  if (traceId !== null) return { kind: 'trace', projectId, traceId };
  if (userId !== null) return { kind: 'user', projectId, userId };
  return { kind: 'project', projectId };
}
