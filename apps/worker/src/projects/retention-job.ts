import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { AuditTrail, EXPIRY_HOUR_UTC, EXPIRY_WATERMARK, Ledger } from '@app/queue';
import { millis, type Millis } from '@app/wire';
import { RewriteRunningError } from '../repair/rewrite-lock.js';
import { LOGGER } from '../tokens.js';
import { Expiry, type ExpiredCounts } from './expiry.js';

/**
 * Deletes calls past their retention, once a night. Not a cron pattern: the watermark lets a later run make up for a night
 * on which no worker ran or ClickHouse was unavailable.
 */
@Injectable()
export class RetentionJob {
  constructor(
    private readonly expiry: Expiry,
    private readonly ledger: Ledger,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    const now = new Date();
    if (now.getUTCHours() < EXPIRY_HOUR_UTC) return;
    const night = now.toISOString().slice(0, 10);
    if ((await this.ledger.watermark(EXPIRY_WATERMARK)) === night) return;
    const expired = await this.expire(millis(now.getTime()));
    if (expired === undefined) return;
    await this.ledger.setWatermark(EXPIRY_WATERMARK, night);
    if (expired.calls + expired.feedback > 0) await this.report(expired);
  }

  /** Undefined while a rebuild or an erasure runs: the next run of this job tries again. */
  private async expire(now: Millis): Promise<ExpiredCounts | undefined> {
    try {
      return await this.expiry.run(now);
    } catch (error) {
      if (error instanceof RewriteRunningError) return undefined;
      throw error;
    }
  }

  private async report(detail: ExpiredCounts): Promise<void> {
    this.logger.info('Deleted calls and feedback past their retention.', detail);
    const origin = {
      userId: 'retention',
      keyId: 'job',
      address: hostname(),
      requestId: randomUUID(),
    };
    await this.audit.record({ ...origin, action: 'expire', projectId: '', detail: { ...detail } });
  }
}
