import type { CallRow, RootUsageRow } from '@app/clickhouse';
import { itemOf, type CallFact } from '@app/events';
import { usageIn } from './call-usage.js';
import { distinct } from './call.projection.js';

/**
 * The rows of `root_usage` that belong to the rows of one fold. An earlier fold had fewer facts and may have written usage
 * of another model, of a call that looked like a root, or at another placement; tombstones hide those rows.
 */
export function rootUsageRows(
  facts: readonly CallFact[],
  rows: readonly CallRow[],
): RootUsageRow[] {
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
