import fc from 'fast-check';
import type { RootUsageRow } from '@app/clickhouse';
import type { CallFact, CallFactKind } from '@app/events';
import { micros, millis } from '@app/wire';
import { aCallRow } from '../../../../test/support/store.js';
import { aFact } from '../../../../test/support/facts.js';
import { foldRows, insertsOf, rootUsageOf } from './calls.writer.js';

const NOW = millis(Date.UTC(2026, 2, 15));
const startedIn = (year: number, month: number) =>
  aCallRow({ started_at: micros(Date.UTC(year, month - 1, 20) * 1000) });
const months = (inserts: ReturnType<typeof insertsOf>) =>
  inserts.map((rows) =>
    rows.map((row) => new Date(row.started_at / 1000).toISOString().slice(0, 7)),
  );

describe('the inserts of a flush', () => {
  it('are empty without rows, and one for the two newest months', () => {
    expect(insertsOf([], NOW)).toEqual([]);
    const rows = [startedIn(2026, 3), startedIn(2026, 2), startedIn(2026, 3)];
    expect(insertsOf(rows, NOW)).toEqual([rows]);
  });

  it('separate the newest months from older ones, also across a new year', () => {
    const january = Date.UTC(2026, 0, 2);
    const rows = [startedIn(2025, 11), startedIn(2025, 12), startedIn(2026, 1)];

    expect(months(insertsOf(rows, millis(january)))).toEqual([['2025-12', '2026-01'], ['2025-11']]);
  });

  it('write at most twelve old partitions each: months, and years before 2024', () => {
    const rows = [2024, 2025].flatMap((year) =>
      [...Array(12).keys()].flatMap((month) => [
        startedIn(year, month + 1),
        startedIn(year, month + 1),
      ]),
    );
    const ancient = [2001, 2001, 2022, 2023].map((year, i) => startedIn(year, i + 1));
    const inserts = insertsOf([...rows].reverse(), NOW);

    expect(insertsOf(ancient, NOW)).toEqual([ancient]);
    expect(inserts).toHaveLength(2);
    for (const some of months(inserts)) expect(new Set(some).size).toBe(12);
    expect(new Set(inserts.flat())).toEqual(new Set(rows));
    expect(inserts.flat()).toHaveLength(rows.length);
  });
});

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
