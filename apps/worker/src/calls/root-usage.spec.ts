import fc from 'fast-check';
import type { RootUsageRow } from '@app/clickhouse';
import type { CallFact, CallFactKind } from '@app/events';
import { micros } from '@app/wire';
import { aFact } from '../../../../test/support/facts.js';
import { foldRows } from './calls.writer.js';
import { rootUsageOf } from './root-usage.js';

const used = (...models: string[]) => ({
  summary: { usage: Object.fromEntries(models.map((model) => [model, { prompt_tokens: 3 }])) },
});
const usageOf = (facts: readonly CallFact[]) => foldRows(facts).usage;

/** The rows that a reader finds after these folds: for each key the row with the greatest version, or the last one. */
function visible(folds: readonly (readonly RootUsageRow[])[]): RootUsageRow[] {
  const rows = new Map<string, RootUsageRow>();
  for (const row of folds.flat()) {
    const key = JSON.stringify([row.started_at, row.id, row.model]);
    if ((rows.get(key)?.version ?? 0n) <= row.version) rows.set(key, row);
  }
  return [...rows.values()].filter((row) => row.is_deleted === 0);
}

describe('the usage of roots', () => {
  it('is a row per model, for calls without a parent and for spans', () => {
    const end = aFact('end', { item: used('a', 'b') });
    expect(usageOf([aFact('start'), end])).toMatchObject([
      { model: 'a', nth: 1, prompt: 3, uncached: 3, total: 3, version: 2n, is_deleted: 0 },
      { model: 'b', nth: 2, prompt: 3, uncached: 3, total: 3, version: 2n, is_deleted: 0 },
    ]);
    const child = { parent_id: 'p' };
    expect(usageOf([aFact('start', { item: child }), end])).toEqual([]);
    const span = aFact('start', { item: { ...child, otel_dump: { name: 'x' } } });
    expect(usageOf([span, end])).toHaveLength(2);
  });

  it('is empty before a call has ended, and for a call without usage', () => {
    expect(usageOf([aFact('start')])).toEqual([]);
    expect(usageOf([aFact('start'), aFact('end')])).toEqual([]);
    expect(usageOf([aFact('end', { item: used('a') })])).toEqual([]);
  });

  const anyFact = fc
    .record({
      kind: fc.constantFrom<CallFactKind>('start', 'end', 'complete', 'rename', 'delete'),
      receivedAt: fc.integer({ min: 1, max: 6 }).map((n) => micros(1_770_000_000_000_000 + n)),
      chunkId: fc.constantFrom('a', 'b'),
      item: fc.record({
        started_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
        trace_id: fc.constantFrom('t1', 't2'),
        parent_id: fc.constantFrom(null, 'p'),
        summary: fc.constantFrom({}, used('a').summary, used('b').summary, used('b', 'a').summary),
      }),
    })
    .map(({ kind, ...given }) => aFact(kind, given));

  it('is that of the last fold, whatever earlier folds have written', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { minLength: 1, maxLength: 7 }), (facts) => {
        const folds = facts.map((_, i) => foldRows(facts.slice(0, i + 1)));
        const counted = folds.at(-1)!.calls.flatMap(rootUsageOf);
        const byModel = (a: RootUsageRow, b: RootUsageRow) => (a.model < b.model ? -1 : 1);
        expect(visible(folds.map(({ usage }) => usage)).sort(byModel)).toEqual(
          counted.sort(byModel),
        );
      }),
      { numRuns: 3000 },
    );
  });
});
