import { Injectable } from '@nestjs/common';
import {
  CALLS,
  ROOT_USAGE,
  Store,
  StoreRefusedError,
  type CallRow,
  type RootUsageRow,
  type Table,
} from '@app/clickhouse';
import { startOfNewMonths, type CallFact } from '@app/events';
import { millisOf, nowMillis, type Micros, type Millis } from '@app/wire';
import { allDone } from '../all-done.js';
import { CostsAtWrite } from '../costs/costs-at-write.js';
import { foldCall } from './call.projection.js';
import { rootUsageRows } from './root-usage.js';

/** Every partition of an insert costs a part: 320 of them took seven seconds. */
const OLD_PARTITIONS_PER_INSERT = 12;

/** All rows that the facts of a call, or of many, add up to. */
export interface FoldedRows {
  readonly calls: readonly CallRow[];
  readonly usage: readonly RootUsageRow[];
}

/** A call that cannot be folded must not hold up its neighbours: it is split off and buried like one that is refused. */
export function foldRows(facts: readonly CallFact[]): FoldedRows {
  try {
    const calls = foldCall(facts);
    return { calls, usage: rootUsageRows(facts, calls) };
  } catch (error) {
    throw new StoreRefusedError(`The call cannot be folded: ${String(error)}`, 0, { cause: error });
  }
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
  async write(rows: FoldedRows, now = nowMillis()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await allDone([this.insert(ROOT_USAGE, rows.usage, now), this.insert(CALLS, rows.calls, now)]);
  }

  /** Usage first. A repair goes by the rows of calls and is not run again: where it finds one, the usage must be there. */
  async writeUsageFirst(rows: FoldedRows, suffix = '', now = nowMillis()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await this.insert({ ...ROOT_USAGE, name: `${ROOT_USAGE.name}${suffix}` }, rows.usage, now);
    await this.insert({ ...CALLS, name: `${CALLS.name}${suffix}` }, rows.calls, now);
  }

  private async insert<Row extends Placed>(table: Table<Row>, rows: readonly Row[], now: Millis) {
    for (const some of insertsOf(rows, now)) await this.store.insert(table, some);
  }
}

interface Placed {
  readonly started_at: Micros;
}

/** The two newest months together; older ones apart, a few partitions at a time. */
export function insertsOf<Row extends Placed>(rows: readonly Row[], now: Millis): Row[][] {
  const since = startOfNewMonths(now);
  const recent = rows.filter((row) => row.started_at >= since);
  if (recent.length === rows.length) return recent.length === 0 ? [] : [recent];
  const old = new Map<number, Row[]>();
  for (const row of rows) {
    if (row.started_at >= since) continue;
    const partition = partitionOf(row.started_at);
    const group = old.get(partition);
    if (group === undefined) old.set(partition, [row]);
    else group.push(row);
  }
  const partitions = [...old.values()];
  const inserts = recent.length === 0 ? [] : [recent];
  for (let at = 0; at < partitions.length; at += OLD_PARTITIONS_PER_INSERT) {
    inserts.push(partitions.slice(at, at + OLD_PARTITIONS_PER_INSERT).flat());
  }
  return inserts;
}

/** As the tables are divided: by month, and by year before 2024. */
function partitionOf(startedAt: Micros): number {
  const date = new Date(millisOf(startedAt));
  const year = date.getUTCFullYear();
  return year * 100 + (year < 2024 ? 0 : date.getUTCMonth() + 1);
}
