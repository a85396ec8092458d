import { Injectable } from '@nestjs/common';
import { expiryPreview, Store } from '@app/clickhouse';
import type { RetentionPreviewResponse } from '@app/contracts';
import { EXPIRY_HOUR_UTC, EXPIRY_WATERMARK, Ledger } from '@app/queue';
import { queueError } from '@app/redis';
import { millis, nowMillis } from '@app/wire';

/** Every project costs three queries. */
const PROJECTS_PER_PAGE = 100;
const DAY_MS = 86_400_000;

@Injectable()
export class RetentionPreviewReader {
  constructor(
    private readonly store: Store,
    private readonly ledger: Ledger,
  ) {}

  /** What the next run would delete, as of the time of that run. */
  async read(scope: string, after: string | undefined): Promise<RetentionPreviewResponse> {
    const lastNight = await this.lastNight();
    const nextRun = nextRunAt(lastNight, nowMillis());
    const page = { scope, after, limit: PROJECTS_PER_PAGE };
    const found = await expiryPreview(this.store, millis(nextRun), page);
    return {
      projects: found.map(({ project, days, calls, feedback_days, feedback }) => ({
        project_id: project,
        retention_days: days,
        calls,
        feedback_retention_days: feedback_days,
        feedback,
      })),
      next: found.length < PROJECTS_PER_PAGE ? null : found.at(-1)!.project,
      next_run_at: new Date(nextRun).toISOString(),
    };
  }

  private async lastNight(): Promise<string | null> {
    try {
      return await this.ledger.watermark(EXPIRY_WATERMARK);
    } catch (error) {
      throw queueError(error);
    }
  }
}

/** The job runs once on a day, at the hour or later: now, when it has not run today although the hour has passed. */
export function nextRunAt(lastNight: string | null, now: number): number {
  const today = now - (now % DAY_MS);
  const hour = EXPIRY_HOUR_UTC * 3_600_000;
  const hasRun = lastNight === new Date(now).toISOString().slice(0, 10);
  return hasRun ? today + DAY_MS + hour : Math.max(now, today + hour);
}
