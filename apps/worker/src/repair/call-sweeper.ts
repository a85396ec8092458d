import { Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import { Ledger } from '@app/queue';
import { millis, type Millis } from '@app/wire';
import type { CallKey } from '../calls/call-log.writer.js';
import { CallRefolder } from './call-refolder.js';
import { RewriteLock } from './rewrite-lock.js';
import { staleCalls } from './repair.sql.js';

const WATERMARK = 'sweep';
/** Flushes of younger facts may still be running. */
const MIN_AGE_MS = 60_000;
/** One sweep covers at most this range, so that catching up after a downtime is done in steps. */
const STEP_MS = 3_600_000;
const PAGE = 1000;

export interface Swept {
  readonly from: Millis;
  readonly until: Millis;
  readonly repaired: number;
  /** Calls of which some facts cannot be stored and are dead letters. */
  readonly deadLettered: number;
}

/**
 * Repairs rows that were folded from fewer facts than the log has: after a loss of data in Redis, with a lagging replica, or
 * when a start was repeated late.
 */
@Injectable()
export class CallSweeper {
  constructor(
    private readonly store: Store,
    private readonly refolder: CallRefolder,
    private readonly ledger: Ledger,
    private readonly lock: RewriteLock,
  ) {}

  /**
   * Checks the calls whose facts were stored since the last sweep. The watermark is in Redis. The time is ClickHouse's,
   * because ClickHouse sets the time at which a fact was stored.
   */
  async sweep(now?: Millis): Promise<Swept> {
    return this.sweepUntil(now ?? (await this.store.now()));
  }

  private async sweepUntil(now: Millis): Promise<Swept> {
    const last = await this.ledger.watermark(WATERMARK);
    const from = millis(last === null ? now - STEP_MS : Number(last));
    const until = millis(Math.min(now - MIN_AGE_MS, from + STEP_MS));
    if (until <= from) return { from, until: from, repaired: 0, deadLettered: 0 };
    const swept = await this.sweepRange(from, until);
    await this.ledger.setWatermark(WATERMARK, String(until));
    return swept;
  }

  /**
   * Checks the calls whose facts were stored in this range. Rejects with RewriteRunningError while rows are erased: a call
   * that was read before would be written again after it.
   */
  async sweepRange(from: Millis, until: Millis): Promise<Swept> {
    type Row = { project_id: string; call_id: string };
    const stale = await this.store.rows<Row>(staleCalls({ storedFrom: from, storedBefore: until }));
    const calls = stale.map(({ project_id, call_id }): CallKey => [project_id, call_id]);
    let deadLettered = 0;
    for (let at = 0; at < calls.length; at += PAGE) {
      const page = calls.slice(at, at + PAGE);
      deadLettered += await this.lock.step(() => this.refolder.refold(page));
    }
    return { from, until, repaired: calls.length - deadLettered, deadLettered };
  }
}
