import { Injectable } from '@nestjs/common';
import {
  CALLS,
  ROOT_USAGE,
  Store,
  type CallRow,
  type RootUsageRow,
  type Table,
} from '@app/clickhouse';
import type { CallFact } from '@app/events';
import { allDone } from '../all-done.js';
import { CostsAtWrite } from '../costs/costs-at-write.js';
import { foldCall } from './call.projection.js';
import { rootUsageRows } from './root-usage.js';

/** Every month is a partition, and every partition of an insert costs a part: 320 of them took seven seconds. */
const OLD_MONTHS_PER_INSERT = 12;

/** All rows that the facts of a call, or of many, add up to. */
export interface FoldedRows {
  readonly calls: readonly CallRow[];
  readonly usage: readonly RootUsageRow[];
}

export function foldRows(facts: readonly CallFact[]): FoldedRows {
  const calls = foldCall(facts);
  return { calls, usage: rootUsageRows(facts, calls) };
}

@Injectable()
export class CallsWriter {
  constructor(
    private readonly store: Store,
    private readonly costs: CostsAtWrite,
  ) {}

  /**
   * Resolves when ClickHouse has stored the rows, both kinds at once. Writing a row twice leaves the same call, so a job
   * that ends between the two is simply run again.
   */
  async write(rows: FoldedRows, now = Date.now()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await allDone([this.insert(ROOT_USAGE, rows.usage, now), this.insert(CALLS, rows.calls, now)]);
  }

  /** Usage first. A repair goes by the rows of calls and is not run again: where it finds one, the usage must be there. */
  async writeUsageFirst(rows: FoldedRows, suffix = '', now = Date.now()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await this.insert({ ...ROOT_USAGE, name: `${ROOT_USAGE.name}${suffix}` }, rows.usage, now);
    await this.insert({ ...CALLS, name: `${CALLS.name}${suffix}` }, rows.calls, now);
  }

  private async insert<Row extends Placed>(table: Table<Row>, rows: readonly Row[], now: number) {
    for (const some of insertsOf(rows, now)) await this.store.insert(table, some);
  }
}

interface Placed {
  readonly started_at: number;
}

/** The two newest months together; older ones apart, a few months at a time. */
export function insertsOf<Row extends Placed>(rows: readonly Row[], now: number): Row[][] {
  const newest = monthOf(now * 1000) - 1;
  const recent = rows.filter((row) => monthOf(row.started_at) >= newest);
  if (recent.length === rows.length) return recent.length === 0 ? [] : [recent];
  const old = new Map<number, Row[]>();
  for (const row of rows) {
    const month = monthOf(row.started_at);
    if (month >= newest) continue;
    const group = old.get(month);
    if (group === undefined) old.set(month, [row]);
    else group.push(row);
  }
  const months = [...old.values()];
  const inserts = recent.length === 0 ? [] : [recent];
  for (let at = 0; at < months.length; at += OLD_MONTHS_PER_INSERT) {
    inserts.push(months.slice(at, at + OLD_MONTHS_PER_INSERT).flat());
  }
  return inserts;
}

/** Months since year 0. */
function monthOf(micros: number): number {
  const date = new Date(micros / 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
