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
import { allDone } from '../pipeline/all-done.js';
import { CostsAtWrite } from '../costs/costs-at-write.js';
import { foldCall } from './call.projection.js';
import { rootUsageRows } from './root-usage.js';

/** Every partition of an insert creates a part. An insert into 320 partitions took seven seconds. */
const OLD_PARTITIONS_PER_INSERT = 12;

/** The rows folded from the facts of one or many calls. */
export interface FoldedRows {
  readonly calls: readonly CallRow[];
  readonly usage: readonly RootUsageRow[];
}

/**
 * Throws StoreRefusedError when the facts cannot be folded. The flush then bisects its calls and dead-letters this one, as
 * if ClickHouse had refused it.
 */
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
   * Resolves when ClickHouse has stored the rows. Both inserts run concurrently. Writing a row twice has no effect, so a
   * job that was interrupted between the two is run again.
   */
  async write(rows: FoldedRows, now = nowMillis()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await allDone([this.insert(ROOT_USAGE, rows.usage, now), this.insert(CALLS, rows.calls, now)]);
  }

  /** For repairs. A repair takes a row of `calls` as proof that its usage is stored, so the usage is inserted first. */
  async writeUsageFirst(rows: FoldedRows, suffix = '', now = nowMillis()): Promise<void> {
    await this.costs.set(rows.calls, now);
    await this.insert({ ...ROOT_USAGE, name: `${ROOT_USAGE.name}${suffix}` }, rows.usage, now);
    await this.insert({ ...CALLS, name: `${CALLS.name}${suffix}` }, rows.calls, now);
  }

  private async insert<Row extends Dated>(table: Table<Row>, rows: readonly Row[], now: Millis) {
    for (const batch of insertsOf(rows, now)) await this.store.insert(table, batch);
  }
}

interface Dated {
  readonly started_at: Micros;
}

/** One insert for the two newest months, then inserts of a few older partitions each. */
export function insertsOf<Row extends Dated>(rows: readonly Row[], now: Millis): Row[][] {
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

/** Follows `PARTITION BY` of the tables: by month, and by year before 2024. */
function partitionOf(startedAt: Micros): number {
  const date = new Date(millisOf(startedAt));
  const year = date.getUTCFullYear();
  return year * 100 + (year < 2024 ? 0 : date.getUTCMonth() + 1);
}
