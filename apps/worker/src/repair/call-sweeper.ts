import { Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import { Ledger } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';
import type { CallKey } from '../calls/call-log.writer.js';
import { CallRefolder } from './call-refolder.js';
import { staleCalls } from './repair.sql.js';

const WATERMARK = 'sweep';
/** Flushes younger than this may still be folding. */
const SETTLE_MS = 60_000;
/** One look goes over at most this much, so that catching up after a pause is done in steps. */
const STEP_MS = 3_600_000;
const PAGE = 1000;

export interface Swept {
  readonly from: Millis;
  readonly until: Millis;
  readonly repaired: number;
  /** Calls that can never be stored with all their facts: those are among the dead letters. */
  readonly deadLettered: number;
}

/** Repairs rows that know less than the log: after a loss of Redis, a lagging replica, or a start sent again late. */
@Injectable()
export class CallSweeper {
  constructor(
    private readonly store: Store,
    private readonly refolder: CallRefolder,
    private readonly ledger: Ledger,
  ) {}

  /** Looks at what was stored since the last sweep; the watermark survives every process. */
  async sweep(now = nowMillis()): Promise<Swept> {
    const last = await this.ledger.watermark(WATERMARK);
    const from = millis(last === null ? now - STEP_MS : Number(last));
    const until = millis(Math.min(now - SETTLE_MS, from + STEP_MS));
    if (until <= from) return { from, until: from, repaired: 0, deadLettered: 0 };
    const swept = await this.sweepRange(from, until);
    await this.ledger.setWatermark(WATERMARK, String(until));
    return swept;
  }

  /** Looks at what was stored in this time. */
  async sweepRange(from: Millis, until: Millis): Promise<Swept> {
    type Row = { project_id: string; call_id: string };
    const stale = await this.store.rows<Row>(staleCalls({ storedFrom: from, storedBefore: until }));
    const calls = stale.map(({ project_id, call_id }): CallKey => [project_id, call_id]);
    let deadLettered = 0;
    for (let at = 0; at < calls.length; at += PAGE) {
      deadLettered += await this.refolder.refold(calls.slice(at, at + PAGE));
    }
    return { from, until, repaired: calls.length - deadLettered, deadLettered };
  }
}
