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

/** Reads how long calls are retained, on which every query for calls depends. */
@Injectable()
export class RetentionReader {
  private readonly cache = new Map<string, CachedRetention>();

  constructor(private readonly store: Store) {}

  /** Days; null is indefinitely. */
  async read(projectId: string): Promise<number | null> {
    const [row] = await this.store.rows<{ days: number }>(
      sql`SELECT retention_days AS days FROM projects FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    return row?.days || null;
  }

  /** The same, from the cache while it is fresh. */
  async cached(projectId: string, now = nowMillis()): Promise<number | null> {
    const known = this.cache.get(projectId);
    if (known !== undefined && now - known.at < CACHE_MS) return known.days;
    const days = await this.read(projectId);
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
