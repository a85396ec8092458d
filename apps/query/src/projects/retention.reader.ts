import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';
import { micros, microsOf, nowMillis, type Micros, type Millis } from '@app/wire';

/** A changed setting applies in every process after this time. */
const CACHE_MS = 3000;
const CACHE_MAX_PROJECTS = 10_000;
const DAY_MICROS = 86_400_000_000;

interface CachedRetention {
  readonly days: number | null;
  readonly at: Millis;
}

interface Retention {
  readonly days: number | null;
  readonly feedbackDays: number | null;
}

/** Reads how long calls are retained, on which every query for calls depends. */
@Injectable()
export class RetentionReader {
  private readonly cache = new Map<string, CachedRetention>();

  constructor(private readonly store: Store) {}

  /** Days; null is indefinitely, for feedback as long as its call. */
  async read(projectId: string): Promise<Retention> {
    const [row] = await this.store.rows<{ days: number; feedback: number }>(
      sql`SELECT retention_days AS days, feedback_retention_days AS feedback
FROM projects FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    return { days: row?.days || null, feedbackDays: row?.feedback || null };
  }

  /** The same, from the cache while it is fresh. */
  async cached(projectId: string, now = nowMillis()): Promise<number | null> {
    const known = this.cache.get(projectId);
    if (known !== undefined && now - known.at < CACHE_MS) return known.days;
    const { days } = await this.read(projectId);
    if (this.cache.size >= CACHE_MAX_PROJECTS) this.cache.clear();
    this.cache.set(projectId, { days, at: now });
    return days;
  }

  /** Calls that started before this timestamp are past their retention; undefined without a retention. */
  async cutoff(projectId: string, now = nowMillis()): Promise<Micros | undefined> {
    const days = await this.cached(projectId, now);
    return days === null ? undefined : micros(microsOf(now) - days * DAY_MICROS);
  }
}

/** When the retention of a call ends that started at this timestamp. */
export const expiryOf = (started: Micros, days: number): Micros =>
  micros(started + days * DAY_MICROS);
