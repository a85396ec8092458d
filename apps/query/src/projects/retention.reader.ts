import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';

/** How soon a changed setting counts in every process. */
const FRESH_MS = 3000;
const KNOWN_MAX = 10_000;
const DAY_MICROS = 86_400_000_000;

interface Known {
  readonly days: number | null;
  readonly at: number;
}

/** How long calls are kept, as every question about calls has to know. */
@Injectable()
export class RetentionReader {
  private readonly known = new Map<string, Known>();

  constructor(private readonly store: Store) {}

  /** Days, or null for ever. */
  async read(projectId: string): Promise<number | null> {
    const [row] = await this.store.rows<{ days: number }>(
      sql`SELECT retention_days AS days FROM projects FINAL WHERE project_id = ${bind('String', projectId)}`,
    );
    return row?.days || null;
  }

  /** The same, as it was known a moment ago. */
  async recall(projectId: string, now = Date.now()): Promise<number | null> {
    const known = this.known.get(projectId);
    if (known !== undefined && now - known.at < FRESH_MS) return known.days;
    const days = await this.read(projectId);
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.set(projectId, { days, at: now });
    return days;
  }

  /** Calls that started before this moment (µs) are gone; undefined when none are. */
  async cutoff(projectId: string, now = Date.now()): Promise<number | undefined> {
    const days = await this.recall(projectId, now);
    return days === null ? undefined : now * 1000 - days * DAY_MICROS;
  }
}

/** When a call that started then (µs) will be gone. */
export const expiryOf = (started: number, days: number): number => started + days * DAY_MICROS;
