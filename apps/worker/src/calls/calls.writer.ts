import { Injectable } from '@nestjs/common';
import {
  CALLS,
  ROOT_USAGE,
  Store,
  StoreRefusedError,
  type CallRow,
  type EncodedMap,
  type RootUsageRow,
  type Table,
} from '@app/clickhouse';
import { distinct, itemOf, startOfNewMonths, type CallFact } from '@app/events';
import { millisOf, nowMillis, type Micros, type Millis } from '@app/wire';
import { allDone } from '../pipeline/all-done.js';
import { CostsAtWrite } from '../costs/costs-at-write.js';
import { foldCall } from './call.projection.js';
import { usageIn } from './call-usage.js';

/** Every partition of an insert creates a part. An insert into 320 partitions took seven seconds. */
const OLD_PARTITIONS_PER_INSERT = 12;

/**
 * Merges create the skip indexes: a fresh part is small, and is read as fast without. Its rows are distinct already, each the fold of
 * one call.
 */
export const INSERT_SETTINGS = {
  materialize_skip_indexes_on_insert: 0,
  optimize_on_insert: 0,
} as const;

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

/**
 * Calls are folded until their leaves have `maxBytes`, then their rows are written before the next ones are folded. Leaves of small values
 * under long keys take up to 16 times the bytes of their payload, and a flush may consist of those.
 */
export const FOLD_GROUPS = { perTurn: 32, maxBytes: 16 * 1024 * 1024 } as const;

/** The memory of what the scalar index adds to the payloads. */
export function leafBytes({ calls }: FoldedRows): number {
  let bytes = 0;
  for (const { leaf_s, leaf_n, leaf_b, leaf_rest } of calls)
    bytes += mapBytes(leaf_s) + mapBytes(leaf_n) + mapBytes(leaf_b) + leaf_rest.length * 8;
  return bytes;
}

const mapBytes = ({ keys, values }: EncodedMap) =>
  keys.end - keys.start + values.end - values.start;

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
    for (const batch of insertsOf(rows, now))
      await this.store.insert(table, batch, INSERT_SETTINGS);
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

/**
 * The rows of `root_usage` that belong to the rows of one fold. An earlier fold had fewer facts and may have written usage
 * of another model, of a call that looked like a root, or at another placement; tombstones hide those rows.
 */
function rootUsageRows(facts: readonly CallFact[], rows: readonly CallRow[]): RootUsageRow[] {
  // A snapshot that was read from the log often contains the flush's own facts twice.
  const known = facts.length > 2 ? distinct(facts) : facts;
  const ends = known.filter(({ kind }) => kind === 'end' || kind === 'complete');
  if (ends.length === 0 || rows.length === 0) return [];
  const starts = known.filter(({ kind }) => kind === 'start' || kind === 'complete');
  const [row] = rows;
  if (rows.length === 1 && starts.length === 1 && ends.length === 1 && row!.is_deleted === 0) {
    return rootUsageOf(row!);
  }
  if (!starts.some(isRootStart)) return [];
  const models = new Set(ends.flatMap(modelsIn));
  return rows.flatMap((folded) => {
    const counted = new Map(rootUsageOf(folded).map((usage) => [usage.model, usage]));
    return [...models].map((model) => counted.get(model) ?? tombstone(folded, model));
  });
}

/** SDKs add the usage of children to their parent, so only roots count. Spans of OpenTelemetry do not, so each counts. */
export function rootUsageOf(row: CallRow): RootUsageRow[] {
  const isRoot = row.parent_id === '' || row.otel_dump.length > 0;
  if (!isRoot || row.is_deleted === 1) return [];
  return row.usage_model.map((model, i) => ({
    ...tombstone(row, model),
    nth: i + 1,
    op_id: row.op_id,
    user_id: row.user_id,
    requests: row.usage_requests[i]!,
    prompt: row.usage_prompt[i]!,
    uncached: row.usage_uncached[i]!,
    completion: row.usage_completion[i]!,
    cache_read: row.usage_cache_read[i]!,
    cache_write: row.usage_cache_write[i]!,
    total: row.usage_total[i]!,
    is_deleted: 0,
  }));
}

function tombstone(row: CallRow, model: string): RootUsageRow {
  return {
    project_id: row.project_id,
    started_at: row.started_at,
    id: row.id,
    model,
    nth: 0,
    op_id: '',
    user_id: '',
    requests: 0,
    prompt: 0,
    uncached: 0,
    completion: 0,
    cache_read: 0,
    cache_write: 0,
    total: 0,
    version: row.version,
    is_deleted: 1,
  };
}

function isRootStart(start: CallFact): boolean {
  const { parent_id, otel_dump } = itemOf(start);
  const isRoot = typeof parent_id !== 'string' || parent_id === '';
  return isRoot || (otel_dump !== undefined && !otel_dump.isNull);
}

function modelsIn(end: CallFact): string[] {
  const { summary } = itemOf(end);
  if (summary === undefined || summary.isNull) return [];
  const parsed: unknown = JSON.parse(summary.bytes.toString('utf8'));
  return usageIn(parsed).map(({ model }) => model);
}
